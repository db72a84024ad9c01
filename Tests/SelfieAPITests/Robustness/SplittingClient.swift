import Cryptography
import HTTPMessages
import HTTPServer

/// Sends requests in pieces, over one connection as long as that lasts, to a server that tells what it saw.
final class SplittingClient {
  private var connection: DrivenConnection?

  /// What the server sends: a digest of all that its handler was given, or its refusal.
  func answer(to pieces: [ArraySlice<UInt8>]) throws -> [UInt8] {
    let connection =
      try self.connection ?? DrivenConnection(responder: Responder(respond: Self.describe, refuse: Self.refuse))
    let answer = pieces.flatMap(connection.send)
    self.connection = connection.isOpen && answer.starts(with: "HTTP/1.1 200 OK".utf8) ? connection : nil
    return answer.withoutDate
  }

  @Sendable private static func describe(_ request: Request) async -> Response {
    var seen = SHA256()
    seen.update(Array("\(request.head.method)\n".utf8) + request.head.target)
    for name in [FieldName.authorization, .contentType, .host, .accept, .methodOverride] {
      seen.update(request.head.fields.all(name).reduce(into: []) { $0 += $1 + [0x0a] })
    }
    do {
      while let bytes = try await request.body.next() { seen.update(bytes) }
      return Response(status: .ok, body: .bytes(Array(Digest.hex(seen.finish()).utf8)))
    } catch {
      return Response(status: .badRequest, body: .bytes(Array("\(error)".utf8)))
    }
  }

  @Sendable private static func refuse(_ status: Status, _ message: String) -> Response {
    Response(status: status, body: .bytes(Array(message.utf8)))
  }
}

extension [UInt8] {
  /// A response without the value of its Date field, which may change between two responses.
  fileprivate var withoutDate: [UInt8] {
    let mark = Array("\r\nDate: ".utf8)
    let end = prefix(64).indices.first { self[$0...].starts(with: mark) }
    return end.map { Array(self[..<$0] + self[($0 + mark.count)...].drop { $0 != 0x0d }) } ?? self
  }
}
