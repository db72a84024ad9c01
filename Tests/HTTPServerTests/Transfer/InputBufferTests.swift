import Glibc
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct InputBufferTests {
  /// Receives bytes as if they had come from a socket; how many found room.
  @discardableResult
  private func receive(_ bytes: [UInt8], into buffer: InputBuffer) -> Int {
    var count = 0
    _ = buffer.receive { free in
      count = min(free.count, bytes.count)
      bytes.withUnsafeBytes { free.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      return .moved(count)
    }
    return count
  }

  private func content(_ buffer: InputBuffer) -> [UInt8] { buffer.withBytes { $0.withUnsafeBufferPointer(Array.init) } }

  @Test func `it takes what there is room for`() {
    let buffer = InputBuffer()
    let most = InputBuffer.capacity - 1
    #expect(receive([UInt8](repeating: 7, count: most), into: buffer) == most)
    #expect(receive([1, 2, 3], into: buffer) == 1)
    #expect(buffer.count == InputBuffer.capacity)
  }

  @Test func `nothing is added when nothing could be read`() {
    let buffer = InputBuffer()
    receive([1], into: buffer)
    _ = buffer.receive { _ in .wouldBlock }
    #expect(content(buffer) == [1])
  }

  @Test func `a random mix of reading and using agrees with an array`() {
    var random = SplitMix64(seed: 5)
    let buffer = InputBuffer()
    var model: [UInt8] = []
    for _ in 0..<400 {
      let bytes = (0..<Int.random(in: 0...3_000, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
      model += bytes.prefix(receive(bytes, into: buffer))
      let used = Int.random(in: 0...3_000, using: &random)
      #expect(buffer.take(used) == Array(model.prefix(used)))
      model.removeFirst(min(used, model.count))
      #expect(buffer.count == model.count)
    }
    #expect(content(buffer) == model)
  }

  @Test func `a buffer takes memory for what has come, not for its whole size`() throws {
    let buffer = InputBuffer()
    var resident: Int?
    _ = buffer.receive { free in
      free[0] = 1
      resident = Self.residentPages(of: free)
      return .moved(1)
    }
    #expect(try #require(resident) <= 2)
  }

  /// Whole pages of `bytes` that the kernel has given memory to (mincore(2)).
  private static func residentPages(of bytes: UnsafeMutableRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let start = base.alignedUp(toMultipleOf: page)
    let length = (bytes.count - base.distance(to: start)) / page * page
    var pages = [UInt8](repeating: 0, count: length / page)
    guard mincore(start, length, &pages) == 0 else { return nil }
    return pages.count { $0 & 1 != 0 }
  }
}
