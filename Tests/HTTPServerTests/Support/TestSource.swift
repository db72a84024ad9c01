import HTTPMessages
import Platform
import TestSupport

/// What streamed bodies are fetched from: bytes that are known, and what was asked of them.
final class TestSource: Sendable {
  /// What the source gives for a piece, by the number of pieces asked for before and the right bytes.
  typealias Change = @Sendable (_ number: Int, _ bytes: [UInt8]) async throws -> [UInt8]

  let bytes: [UInt8]
  private let state = Monitor((asked: [Range<Int64>](), ends: [String]()))
  private let change: Change

  init(count: Int, change: @escaping Change = { $1 }) {
    bytes = Array(patternOf: count)
    self.change = change
  }

  /// The parts that were asked for so far.
  var asked: [Range<Int64>] { state.withLock { $0.asked } }

  /// How the streams have ended that were made: "sent" or why not.
  var ends: [String] { state.withLock { $0.ends } }

  /// How the streams have ended, once there are so many ends.
  func ends(_ count: Int) async throws -> [String] {
    try await waitUntil { ends.count >= count }
    return ends
  }

  /// All of it, by a stream of its own.
  var body: Response.Body { part(0..<Int64(bytes.count)) }

  func part(_ range: Range<Int64>) -> Response.Body {
    .stream(stream(), offset: range.lowerBound, length: range.upperBound - range.lowerBound)
  }

  /// All of it, in pieces of a length that the server does not know.
  func pages(ofBytes pieceBytes: Int) -> Response.Body {
    .pages(stream(inPiecesOf: pieceBytes))
  }

  /// Responds with all of it in place of a head and a body.
  var rawHandler: TestServer.Handler { { [self] _ in Response(status: .noContent, body: .raw(stream())) } }

  /// - Parameter pieceBytes: as many as are asked for if nil.
  private func stream(inPiecesOf pieceBytes: Int? = nil) -> BodyStream {
    BodyStream(
      fetch: { [self] offset, count in
        let count = pieceBytes ?? count
        let number = state.withLock { state in
          state.asked.append(offset..<(offset + Int64(count)))
          return state.asked.count - 1
        }
        return try await change(number, Array(bytes.dropFirst(Int(offset)).prefix(count)))
      },
      ended: { [state] failure in state.withLock { $0.ends.append(failure.map(Self.name) ?? "sent or left") } })
  }

  /// Responds with all of it.
  var handler: TestServer.Handler { { [self] _ in Response(status: .ok, body: body) } }

  /// Responds with all of it in pages of a thousand bytes.
  var pagesHandler: TestServer.Handler { { [self] _ in Response(status: .ok, body: pages(ofBytes: 1000)) } }

  private static func name(_ failure: BodyStream.Failure) -> String {
    switch failure {
    case .unreadable(let error): "unreadable: \(type(of: error))"
    case .tooShort: "too short"
    case .tooLong: "too long"
    case .timedOut: "timed out"
    case .outOfMemory: "out of memory"
    }
  }
}
