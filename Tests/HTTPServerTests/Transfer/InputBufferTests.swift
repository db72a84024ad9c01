import TestSupport
import Testing

@testable import HTTPServer

@Suite struct InputBufferTests {
  /// Receives bytes as if they had come from a socket; how many found room.
  @discardableResult
  private func receive(_ bytes: [UInt8], into buffer: InputBuffer) -> (count: Int, filledUp: Bool) {
    var count = 0
    let result = buffer.receive { free in
      count = min(free.count, bytes.count)
      bytes.withUnsafeBytes { free.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      return .moved(count)
    }
    return (count, result.filledUp)
  }

  private func content(_ buffer: InputBuffer) -> [UInt8] { buffer.withBytes { Array($0) } }

  @Test func `bytes come out in the order they went in`() {
    let buffer = InputBuffer()
    #expect(buffer.isEmpty)
    receive([1, 2, 3], into: buffer)
    receive([4, 5], into: buffer)
    #expect(content(buffer) == [1, 2, 3, 4, 5])
    buffer.consume(1)
    #expect(buffer.take(2) == [2, 3])
    #expect(buffer.count == 2)
    #expect(buffer.take(9) == [4, 5])
    #expect(buffer.isEmpty)
  }

  @Test func `it says when it has been filled up`() {
    let buffer = InputBuffer()
    #expect(
      receive([UInt8](repeating: 7, count: InputBuffer.capacity - 1), into: buffer) == (InputBuffer.capacity - 1, false)
    )
    #expect(receive([1, 2, 3], into: buffer) == (1, true))
    #expect(buffer.count == InputBuffer.capacity)
  }

  @Test func `room that was used is used again`() {
    let buffer = InputBuffer()
    receive([UInt8](repeating: 7, count: InputBuffer.capacity), into: buffer)
    buffer.consume(InputBuffer.capacity - 2)
    #expect(receive([8, 9], into: buffer) == (2, false))
    #expect(content(buffer) == [7, 7, 8, 9])
  }

  @Test func `nothing is added when nothing could be read`() {
    let buffer = InputBuffer()
    receive([1], into: buffer)
    let (_, filledUp) = buffer.receive { _ in .wouldBlock }
    #expect(!filledUp)
    #expect(content(buffer) == [1])
  }

  @Test func `a random mix of reading and using agrees with an array`() {
    var random = SplitMix64(seed: 5)
    let buffer = InputBuffer()
    var model: [UInt8] = []
    for _ in 0..<400 {
      let bytes = (0..<Int.random(in: 0...3_000, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
      model += bytes.prefix(receive(bytes, into: buffer).count)
      let used = Int.random(in: 0...3_000, using: &random)
      #expect(buffer.take(used) == Array(model.prefix(used)))
      model.removeFirst(min(used, model.count))
      #expect(buffer.count == model.count)
    }
    #expect(content(buffer) == model)
  }
}
