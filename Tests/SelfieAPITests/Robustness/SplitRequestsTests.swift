import HTTPMessages
import HTTPServer
import Platform
import Testing

/// However a request is cut into pieces on its way, the server sees the same request.
///
/// In a debug build, a request is cut at every eighth byte, and the next one at the bytes next to those. As long as a
/// request begins with the same bytes as another one, behind which the parser is in the same state, it is cut only at
/// every 64th. A release build cuts every request at every byte:
/// `swift test -c release -Xswiftc -enable-testing --filter SplitRequests`.
@Suite struct SplitRequestsTests {
  #if DEBUG
    private static let (stride, strideInKnown) = (8, 64)
  #else
    private static let (stride, strideInKnown) = (1, 1)
  #endif
  /// Of long bodies only the first and the last bytes, and every 1,021st between, are cut at.
  private static let everyByteUpTo = 2_048

  @Test func `a request in two pieces is answered as one in a piece`() async throws {
    let failures = try await onThread {
      let client = SplittingClient()
      // Of all others, its neighbor has the most bytes in common with a request.
      let requests = try RecordedRequests.all().sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      var previous: [UInt8] = []
      return try requests.enumerated().flatMap { number, request in
        let known = zip(previous, request.bytes).prefix { $0 == $1 }.count
        previous = request.bytes
        let whole = try client.answer(to: [request.bytes[...]])
        let cuts = Self.cuts(of: request.bytes.count).filter { cut in
          (cut + number) % (cut <= known ? Self.strideInKnown : Self.stride) == 0
        }
        return try cuts.filter { cut in
          try client.answer(to: [request.bytes[..<cut], request.bytes[cut...]]) != whole
        }.map { "\(request.name) cut before byte \($0)" } + (whole.isAnswer ? [] : [request.name])
      }
    }
    #expect(failures == [])
  }

  @Test func `a request that comes byte by byte is answered as one in a piece`() async throws {
    let failures = try await onThread {
      let client = SplittingClient()
      return try RecordedRequests.all().enumerated().compactMap { number, request in
        let bytes = request.bytes
        guard bytes.count <= Self.everyByteUpTo, number % Self.stride == 0 else { return nil }
        let pieces = bytes.indices.map { bytes[$0...$0] }
        return try client.answer(to: pieces) == client.answer(to: [bytes[...]]) ? nil : request.name
      }
    }
    #expect(failures == [])
  }

  private static func cuts(of count: Int) -> [Int] {
    let beginning = 1..<min(everyByteUpTo, count)
    let end = max(beginning.upperBound, count - everyByteUpTo + 1)..<max(beginning.upperBound, count)
    let between = Swift.stride(from: 1_021 * 3, to: end.lowerBound, by: 1_021)
    return Array(beginning) + between + Array(end)
  }

  /// Long work must not keep the few threads of Swift's own pool from the other tests.
  private func onThread(_ work: @escaping @Sendable () throws -> [String]) async throws -> [String] {
    let thread = WorkerPool(name: "splitting", threads: 1, waiting: 1)
    defer { thread.shutDown() }
    return try await thread.run(work)
  }
}

extension [UInt8] {
  fileprivate var isAnswer: Bool { starts(with: "HTTP/1.1 ".utf8) }
}
