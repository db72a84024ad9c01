import HTTPMessages
import Synchronization

@testable import SelfieTestControl

extension Exchange {
  /// An exchange as the journal would record it.
  static func sample(
    _ method: String = "GET", _ path: String = "/up", _ status: Int = 200, message: String? = nil,
    parameters: [String: RecordedValue] = [:], fields: [RecordedField] = []
  ) -> Exchange {
    Exchange(
      time: 0, duration: .zero, peer: "127.0.0.1", method: method, path: path, query: [:], queryProblem: nil,
      fields: fields, body: RecordedBody(parameters: parameters, byteCount: 0, isComplete: true, problem: nil),
      status: status, error: nil, message: message, fault: nil)
  }
}

extension Journal {
  func add(_ exchanges: Exchange...) {
    for exchange in exchanges { add(exchange, begunAfter: clearings) }
  }
}

/// A multipart body as the tutorial's app makes it.
enum Upload {
  static let type = "multipart/form-data; boundary=B"
  static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2, 3]
  static let imageHead = Array(
    "--B\r\nContent-Disposition: attachment; name=\"image\"; filename=\"photo\"\r\n\r\n".utf8)

  static func field(_ name: String, _ text: String) -> [UInt8] {
    Array("--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n".utf8)
  }

  static func body(_ image: [UInt8] = png, title: String) -> [UInt8] {
    imageHead + image + Array("\r\n".utf8) + field("title", title) + Array("--B--\r\n".utf8)
  }
}

/// A body that comes in pieces, and may break off.
final class PiecesBody: RequestBody.Source {
  private let rest: Mutex<[[UInt8]]>
  private let failure: BodyError?
  private let asked = Atomic(0)

  /// How often somebody has asked for a piece.
  var askedCount: Int { asked.load(ordering: .relaxed) }

  init(_ pieces: [[UInt8]], failure: BodyError? = nil) {
    rest = Mutex(pieces.reversed())
    self.failure = failure
  }

  func next() async throws(BodyError) -> [UInt8]? {
    asked.add(1, ordering: .relaxed)
    if let piece = rest.withLock({ $0.popLast() }) { return piece }
    if let failure { throw failure }
    return nil
  }
}
