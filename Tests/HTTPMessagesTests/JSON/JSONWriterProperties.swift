import Foundation
import Testing

@testable import HTTPMessages

/// What holds for whatever is written.
@Suite struct JSONWriterProperties {
  private func written(_ text: String) -> [UInt8] {
    var json = JSONWriter()
    json.string(text)
    return json.bytes
  }

  /// Rails 4.1's escapes, said in another way than the code under test says them.
  private func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case "\u{8}": "\\b"
      case "\t": "\\t"
      case "\n": "\\n"
      case "\u{c}": "\\f"
      case "\r": "\\r"
      case "<", ">", "&", "\0"..."\u{1f}", "\u{2028}", "\u{2029}":
        "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
          + String(scalar.value, radix: 16)
      default: String(scalar)
      }
    }.joined()
  }

  private func expectRoundTrip(_ text: String) throws {
    let bytes = written(text)
    #expect(bytes.elementsEqual("\"\(escaped(text))\"".utf8))
    let read = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    #expect(try #require(read as? String).unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test(arguments: [
    ("", ""), ("<b>Jo & co</b>", #"\u003cb\u003eJo \u0026 co\u003c/b\u003e"#), (#""\/"#, #"\"\\/"#),
    ("\u{8}\t\n\u{c}\r", #"\b\t\n\f\r"#), ("\0\u{1}\u{b}\u{1f}", #"\u0000\u0001\u000b\u001f"#), ("\u{7f}", "\u{7f}"),
    ("a\u{2027}\u{2028}\u{2029}\u{202a}b", "a\u{2027}\\u2028\\u2029\u{202a}b"), ("\u{80}ü張😀", "\u{80}ü張😀"),
  ])
  func `escapes are those of Rails`(text: String, expected: String) throws {
    #expect(written(text).elementsEqual("\"\(expected)\"".utf8))
    try expectRoundTrip(text)
  }

  @Test func `every character comes back, alone and among others`() throws {
    // All of the first planes' blocks that scripts and symbols of today are in, then a sample of the rest.
    let values = Array(UInt32(0)...0x2fff) + Array(stride(from: 0x3000, through: 0x10_ffff, by: 257))
    let scalars = values.compactMap(Unicode.Scalar.init)
    for scalar in scalars {
      #expect(written(String(scalar)).elementsEqual("\"\(escaped(String(scalar)))\"".utf8), "U+\(scalar.value)")
    }
    for start in stride(from: 0, to: scalars.count, by: 64) {
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[start..<min(start + 64, scalars.count)])
      try expectRoundTrip(String(text))
    }
  }

  @Test func `a document has its commas and brackets`() {
    var json = JSONWriter()
    json.object { json in
      json.key("a")
      json.array { json in
        json.array { _ in }
        json.object { $0.member("b", "c") }
        json.integer(-1)
        json.boolean(true)
        json.null()
      }
      json.key(text: "d\"")
      json.object { _ in }
      json.member("e", nil as String?)
      json.member("f", 7)
    }
    #expect(json.bytes.elementsEqual(#"{"a":[[],{"b":"c"},-1,true,null],"d\"":{},"e":null,"f":7}"#.utf8))
  }

  @Test func `a text that was escaped before and a plain one make one string`() {
    var json = JSONWriter()
    let escaped = JSONWriter.fragment("x/", escaping: Array("<a".utf8)[...], then: "/y/")
    json.array { json in
      Array("bc".utf8).withUnsafeBufferPointer { json.string(escaped, plain: $0) }
      Array("de".utf8).withUnsafeBufferPointer { json.string(plain: $0) }
      json.integer(.min)
      json.integer(.max)
    }
    #expect(json.bytes.elementsEqual(#"["x/\u003ca/y/bc","de",-9223372036854775808,9223372036854775807]"#.utf8))
  }
}
