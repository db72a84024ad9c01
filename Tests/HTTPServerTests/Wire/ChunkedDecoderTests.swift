import HTTPMessages
import Testing

@testable import HTTPServer

@Suite struct ChunkedDecoderTests {
  /// `used` is how many bytes belonged to the body; nil when it has not ended.
  private typealias Decoded = (content: String, used: Int?)

  /// Decodes pieces one after the other.
  private func decode(_ pieces: [ArraySlice<UInt8>], limits: Limits = Limits()) throws(BodyError) -> Decoded {
    var decoder = ChunkedDecoder(limits: limits)
    var content: [UInt8] = []
    var used = 0
    for piece in pieces {
      used += try decoder.decode(piece.span) { $0.withUnsafeBufferPointer { content += $0 } }
    }
    return (String(decoding: content, as: UTF8.self), decoder.isAtEnd ? used : nil)
  }

  private func decode(_ text: String, limits: Limits = Limits()) throws(BodyError) -> Decoded {
    try decode([Array(latin1: text)[...]], limits: limits)
  }

  private func isRefused(_ text: String, limits: Limits = Limits()) -> Bool {
    do throws(BodyError) {
      _ = try decode(text, limits: limits)
      return false
    } catch {
      guard case .malformed = error else { return false }
      return true
    }
  }

  static let bodies: [(coded: String, content: String)] = [
    ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"),
    ("A\r\n0123456789\r\nf\r\n0123456789abcde\r\n00\r\n\r\n", "01234567890123456789abcde"),
    ("00000000000a\r\n0123456789\r\n000\r\n\r\n", "0123456789"), ("2\r\n\r\n\r\n2\r\n0\r\r\n0\r\n\r\n", "\r\n0\r"),
    ("1;a\r\nx\r\n1;b=c;d=\"e;f\"\r\ny\r\n0;last\r\n\r\n", "xy"),
    ("1 ; a = b\t;\tc\r\nx\r\n0;a;b=\"\\\"; \\\\\"\r\n\r\n", "x"), ("1;a=\"\"\r\nx\r\n0\r\n\r\n", "x"),
    ("1\r\nx\r\n0\r\nExpires: never\r\nX-Empty:\r\nX-Two: a\tb \r\n\r\n", "x"),
  ]

  @Test(arguments: bodies)
  func `a body is decoded to its last byte however its bytes are cut, and what follows is left alone`(
    coded: String, content: String
  ) throws {
    let bytes = Array(coded.utf8)
    let whole: Decoded = (content, bytes.count)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        #expect(try decode([bytes[..<first], bytes[first..<second], bytes[second...]]) == whole)
      }
    }
    #expect(try decode(bytes.indices.map { bytes[$0...$0] }) == whole)
    for count in bytes.indices { #expect(try decode([bytes[..<count]]).used == nil) }
    #expect(try decode(coded + "GET / HTTP/1.1\r\n") == whole)
  }

  @Test(arguments: [
    "\r\n", "\n", " 5\r\n", "5 \r\n", "5\t\r\n", "+5\r\n", "-5\r\n", "0x5\r\n", "5h\r\n", "g\r\n", ";a\r\n", "5,\r\n",
    "5.\r\n", "5_0\r\n", "\"5\"\r\n", "\u{b5}\r\n", "\u{0}5\r\n", "5\n", "5\rh", "5\r\r\n", "5\u{0}\r\n", "5;a\n",
    "5;a\rb", "5;a\u{0}\r\n", "5;\u{7f}\r\n",
    "0000000000005\r\n", "fffffffffffff\r\n", "10000000000000000\r\n", "ffffffffffffffff\r\n",
    "5;\r\n", "5; \r\n", "5;=\r\n", "5;=a\r\n", "5;a=\r\n", "5;a= \r\n", "5;a=\"\r\n", "5;a=\"b\r\n", "5;a=\"b\\\"\r\n",
    "5;a=\"b\"c\r\n", "5;a b\r\n", "5;a=b c\r\n", "5;a=b \r\n", "5;;a\r\n", "5;a;\r\n", "5;\"a\"\r\n", "5;a=b=c\r\n",
    "5;a=\u{e9}\r\n", "5;(\r\n", "1\r\nxy\r\n", "1\r\nx\n", "1\r\nx\rx", "1\r\nx0\r\n", "2\r\nx\r\n0\r\n",
    "0\r\n\r\r", "0\r\nX\u{0}: a\r\n", "5;a=\"\nb\"\r\n", "4\r\nhello", "5\r\nhello\n", "5\r\nhello0",
    "0\r\nX\n", "0\r\nX: a\n", "0\r\nX: a\rb", "0\r\n\n", "0\r\n\rx", "0\r\nX: \u{0}\r\n", "0\r\nX: \u{7f}\r\n",
    "0\r\nX\r\n", "0\r\n: a\r\n", "0\r\nX : a\r\n", "0\r\n X: a\r\n", "0\r\nX: a\r\n b\r\n", "0\r\n\tX: a\r\n",
    "0\r\nGET / HTTP/1.1\r\n", "0\r\n0\r\n\r\n", "0\r\nX@: a\r\n", "0\r\n\u{e4}: a\r\n",
  ])
  func `malformed chunks are refused`(coded: String) {
    #expect(isRefused(coded))
  }

  @Test func `an extension may be as long as the limit and no longer`() throws {
    let limits = Limits().with { $0.maxChunkLine = 10 }
    let coded = "1;012345678\r\nx\r\n1;012345678\r\ny\r\n0\r\n\r\n"
    #expect(try decode(coded, limits: limits).content == "xy")
    #expect(isRefused("1;0123456789\r\n", limits: limits))
  }

  @Test func `all extensions of a body may be as long as the limit and no longer`() throws {
    let limits = Limits().with { $0.maxChunkExtensions = 6 }
    #expect(try decode("1;ab\r\nx\r\n1;ab\r\ny\r\n0\r\n\r\n", limits: limits).content == "xy")
    #expect(isRefused("1;ab\r\nx\r\n1;ab\r\ny\r\n0;\r\n\r\n", limits: limits))
  }

  @Test func `trailers may be as long as the limit and no longer`() throws {
    let limits = Limits().with { $0.maxTrailers = 20 }
    #expect(try decode("0\r\nA: 234567\r\nB: 2\r\n\r\n", limits: limits).used != nil)
    #expect(isRefused("0\r\nA: 234567\r\nB: 234567890\r\n\r\n", limits: limits))
    #expect(isRefused("0\r\n" + String(repeating: "A:\r\n", count: 20), limits: limits))
  }

  @Test func `after an error the decoder takes nothing more`() {
    var decoder = ChunkedDecoder(limits: Limits())
    let bytes = Array("5x".utf8)
    for _ in 0..<2 {
      #expect(throws: BodyError.self) { try decoder.decode(bytes.span) { _ in } }
    }
    #expect(!decoder.isAtEnd)
  }
}
