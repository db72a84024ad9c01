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
  func response(to request: WireRequest) async throws -> RawResponse {
    let client: RawClient
    if let connected = self.client { client = connected } else { client = try await .connect(to: port) }
    self.client = client
    try await client.send(request.bytes)
    let response = try await client.response(hasBody: request.method != "HEAD")
    try response.checkConnectionFields()
    if response.announcesClose {
      guard try await client.isAtEnd else { throw NotPossible("bytes after the last response") }
      self.client = nil
    } else {
      guard client.takeReceived().isEmpty else { throw NotPossible("more came than Content-Length says") }
    }
    return response
  }
}

extension RawResponse {
  /// The fields that the server adds to the application's.
  static let connectionFields = ["date", "content-length", "connection"]

  /// Checks the form of the head, and what the server adds to it.
  fileprivate func checkConnectionFields() throws {
    let (statusForm, fieldForm) = (/HTTP\/1\.1 [0-9]{3} .+/, /[A-Za-z0-9-]+: .*/)
    let date = /[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT/
    let (lengths, connections) = (values("content-length"), values("connection"))
    let lengthIsRight =
      status == 204 || status == 304 ? lengths == [] : lengths == ["\(Int(lengths.first ?? "") ?? -1)"]
    guard statusLine.wholeMatch(of: statusForm) != nil,
      lines.dropFirst().allSatisfy({ $0.wholeMatch(of: fieldForm) != nil }),
      self["date"]?.wholeMatch(of: date) != nil, lengthIsRight, connections == [] || connections == ["close"]
    else { throw NotPossible("not the head of a response: \(lines)") }
  }

  private func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
}
