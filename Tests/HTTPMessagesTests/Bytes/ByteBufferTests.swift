import HTTPMessages
import Testing

@Suite struct ByteBufferTests {
  @Test func `pieces of every kind stand one behind the other`() {
    var buffer = ByteBuffer(capacity: 0)
    buffer.append("a text, ")
    buffer.append([])
    buffer.append(Array("bytes".utf8))
    buffer.append(UInt8(ascii: " "))
    buffer.append(decimal: 7)
    buffer.append(UnsafeBufferPointer(start: nil, count: 0))
    #expect(buffer.bytes.elementsEqual("a text, bytes 7".utf8))
    #expect(buffer.count == 15)
  }

  @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345, 999_999, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000, .max])
  func `numbers are those that Swift writes`(number: UInt64) {
    for width in [0, 1, 2, 6, 20] {
      var buffer = ByteBuffer(capacity: 0)
      buffer.append(decimal: number, width: width)
      let digits = String(number)
      let expected = String(repeating: "0", count: max(0, width - digits.count)) + digits
      #expect(String(decoding: buffer.bytes, as: UTF8.self) == expected)
    }
  }

  @Test func `what is there can be had once more`() {
    var buffer = ByteBuffer(capacity: 0)
    buffer.append("abcdefghijklmnop")
    buffer.append(copyOf: 1..<15)
    buffer.append(copyOf: 30..<30)
    #expect(buffer.bytes.elementsEqual("abcdefghijklmnopbcdefghijklmno".utf8))
  }

  @Test func `it grows as far as it must`() {
    var buffer = ByteBuffer(capacity: 3)
    var expected: [UInt8] = []
    for length in 0..<300 {
      let piece = [UInt8](repeating: UInt8(truncatingIfNeeded: length), count: length)
      buffer.append(piece)
      expected += piece
    }
    #expect(buffer.bytes == expected)
  }
}
