import Testing

@testable import HTTPServer

@Suite struct LimitsTests {
  private let limits = Limits()

  @Test func `a whole head fits into the buffer it is read into`() {
    #expect(limits.head < InputBuffer.capacity)
    #expect(limits.requestLine < limits.head)
  }

  @Test func `what a server waits for has an end`() {
    let times = [
      limits.idle, limits.headTime, limits.bodyPause, limits.writeStall, limits.handler, limits.linger,
      limits.lingerPause, limits.drain,
    ]
    #expect(times.allSatisfy { $0 > 0 && $0 <= 120_000 })
    #expect(limits.lingerPause <= limits.linger)
  }

  @Test func `one connection cannot take more memory than a few reads`() {
    #expect(limits.bodyChunk <= 64 * 1024)
    #expect(limits.trailers + limits.chunkLine <= limits.head)
  }
}
