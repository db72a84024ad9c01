import APITestSupport
import TestSupport

/// A client's connection to a server on this machine, which checks what every response must have.
///
/// It is kept from one request to the next unless the server ends it.
actor ReplayConnection {
  private let port: Int
  private var client: RawClient?

  init(port: Int) {
    self.port = port
  }

  /// Sends a request and reads its response.
  func response(to request: WireRequest) async throws -> ActualResponse {
    let client: RawClient
    if let connected = self.client { client = connected } else { client = try await .connect(to: port) }
    self.client = client
    try await client.send(request.bytes)
    let received = try await client.response(hasBody: request.method != "HEAD")
    var response = try ActualResponse(received)
    if try response.takeConnectionFields() {
      guard try await client.isAtEnd else { throw NotPossible("bytes after the last response") }
      self.client = nil
    } else {
      guard client.takeReceived().isEmpty else { throw NotPossible("more came than Content-Length says") }
    }
    return response
  }
}

extension ActualResponse {
  fileprivate init(_ response: RawResponse) throws {
    guard response.statusLine.wholeMatch(of: /HTTP\/1\.1 [0-9]{3} .+/) != nil else {
      throw NotPossible("not a status line: \(response.statusLine)")
    }
    let fieldLine = /([A-Za-z0-9-]+): (.*)/
    let fields = try response.lines.dropFirst().map { line in
      guard let match = line.wholeMatch(of: fieldLine) else {
        throw NotPossible("not a header field: \(line)")
      }
      return Field(name: String(match.1), value: String(match.2))
    }
    self.init(status: response.status, fields: fields, body: response.body)
  }

  /// Takes out what the server adds to the application's fields, and checks it; true when it ends the connection.
  fileprivate mutating func takeConnectionFields() throws -> Bool {
    let date = /[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT/
    let own = fields.filter { ["Date", "Content-Length", "Connection"].contains($0.name) }
    fields.removeAll { own.contains($0) }
    let values = Dictionary(grouping: own, by: \.name).mapValues { $0.map(\.value) }
    guard values["Date"]?.count == 1, values["Date"]?[0].wholeMatch(of: date) != nil else {
      throw NotPossible("Date: \(values["Date"] ?? [])")
    }
    let length = values["Content-Length"]?.map { Int($0) ?? -1 } ?? []
    let wantsLength = status != 204 && status != 304
    guard length.count == (wantsLength ? 1 : 0), length.allSatisfy({ $0 >= 0 }) else {
      throw NotPossible("Content-Length: \(values["Content-Length"] ?? [])")
    }
    let connection = values["Connection"] ?? []
    guard connection.isEmpty || connection == ["close"] else {
      throw NotPossible("Connection: \(connection)")
    }
    return !connection.isEmpty
  }
}
