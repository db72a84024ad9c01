import HTTPMessages
import Platform
import Testing

@Suite struct BodyStreamTests {
  private struct Broken: Error {}

  /// How streams have ended, as a source is told.
  private let ends = Monitor<[String]>([])

  private func makeStream(_ fetch: @escaping @Sendable (Int64, Int) async throws -> [UInt8]) -> BodyStream {
    BodyStream(fetch: fetch) { [ends] failure in ends.withLock { $0.append(failure.map { "\($0)" } ?? "none") } }
  }

  @Test func `a piece is what the source gives for it`() async throws {
    let stream = makeStream { offset, count in [UInt8(offset), UInt8(count)] }
    #expect(try await stream.piece(at: 7, count: 2) == [7, 2])
    #expect(try await stream.piece(at: 9, count: 200) == [9, 200])
  }

  @Test func `a source that throws, or has nothing, has failed`() async throws {
    await #expect {
      try await makeStream { _, _ in throw Broken() }.piece(at: 0, count: 1)
    } throws: {
      if case BodyStream.Failure.unreadable(let error) = $0 { error is Broken } else { false }
    }
    await #expect {
      try await makeStream { _, _ in [] }.piece(at: 0, count: 1)
    } throws: {
      if case BodyStream.Failure.tooShort = $0 { true } else { false }
    }
  }

  @Test func `a source that gives too much is told so at the end`() async throws {
    do {
      let stream = makeStream { _, count in [UInt8](repeating: 7, count: count + 1) }
      #expect(try await stream.piece(at: 0, count: 3) == [7, 7, 7])
      #expect(ends.withLock { $0 } == [])
      stream.end()
    }
    #expect(ends.withLock { $0 } == ["tooLong"])
  }

  @Test(
    arguments: [
      ([], "none"), ([nil, .tooShort], "none"), ([.timedOut, nil, .tooShort], "timedOut"),
    ] as [([BodyStream.Failure?], String)])
  func `a source is told of the end once, at the latest when nobody has the stream any more`(
    failures: [BodyStream.Failure?], expected: String
  ) {
    do {
      let stream = makeStream { _, _ in [] }
      for failure in failures { stream.end(failure) }
    }
    #expect(ends.withLock { $0 } == [expected])
  }
}
