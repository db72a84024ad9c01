import Foundation
import FoundationNetworking
import Testing

/// The client of the Notes app, `MLNoteClient`: AFNetworking's form encoding, HTTP Basic with each request, and the
/// parameter `token`.
struct NotesApp: Sendable {
  let address: String
  var email: String
  var password: String
  private let loader = Loader()

  init(_ address: String, email: String, password: String) {
    self.address = address
    self.email = email
    self.password = password
  }

  struct Note: Decodable, Equatable {
    let id: Int
    let title: String
    let body: String
    let created_at: String
    let updated_at: String
  }

  /// What the app shows when a request fails. At 401 it opens the page for the account, too.
  struct Alert: Error, Equatable {
    let status: Int
    let errors: String?
  }

  func getIndex() async throws -> [Note] {
    try decoded([Note].self, try await send("GET", "notes.json", [("token", "token")]))
  }

  func createNote(title: String, body: String) async throws -> Note {
    try decoded(Note.self, try await send("POST", "notes.json", Self.parameters(title, body)))
  }

  func putNote(_ id: Int, title: String, body: String) async throws {
    #expect(try await send("PUT", "notes/\(id).json", Self.parameters(title, body)).isEmpty)
  }

  func destroyNote(_ id: Int) async throws {
    #expect(try await send("DELETE", "notes/\(id).json", [("token", "token")]).isEmpty)
  }

  private static func parameters(_ title: String, _ body: String) -> [(String, String)] {
    [("token", "token"), ("note[title]", title), ("note[body]", body)]
  }

  private func decoded<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
    try JSONDecoder().decode(type, from: data)
  }

  /// Sends parameters as `AFHTTPClient` does: in the query of a GET or DELETE, otherwise in the body.
  ///
  /// - Throws: `Alert` unless the status is a success.
  @discardableResult
  func send(
    _ method: String, _ path: String, _ parameters: [(String, String)], fields: [String: String] = [:]
  ) async throws -> Data {
    let encoded = parameters.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
    let isInQuery = ["GET", "DELETE"].contains(method)
    let target = "\(address)/\(path)\(isInQuery ? "?\(encoded)" : "")"
    var request = URLRequest(url: try #require(URL(string: target)))
    request.httpMethod = method
    if !isInQuery {
      request.setValue("application/x-www-form-urlencoded; charset=utf-8", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(encoded.utf8)
    }
    let credentials = Data("\(email):\(password)".utf8).base64EncodedString()
    request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await loader.load(request)
    guard (200..<300).contains(response.statusCode) else {
      let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
      throw Alert(status: response.statusCode, errors: object?["errors"] as? String)
    }
    return data
  }

  /// As `AFPercentEscapedQueryStringPairMemberFromStringWithEncoding`.
  private static func escaped(_ text: String) -> String {
    let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7f}"))
    return text.addingPercentEncoding(withAllowedCharacters: plain.union(CharacterSet(charactersIn: "-._~[]"))) ?? ""
  }
}
