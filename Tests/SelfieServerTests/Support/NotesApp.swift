import Foundation
import FoundationNetworking
import Testing

/// The client of the Notes app, `MLNoteClient`: AFNetworking's form encoding, HTTP Basic with each request, and the
/// parameter `token`.
struct NotesApp: Sendable {
  private let origin: String
  private let email: String
  private let loader = Loader()

  init(_ origin: String, email: String = "jane@example.com") {
    self.origin = origin
    self.email = email
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
    try JSONDecoder().decode([Note].self, from: try await send("GET", "notes.json", [("token", "token")]))
  }

  func createNote(title: String, body: String) async throws -> Note {
    try JSONDecoder().decode(Note.self, from: try await send("POST", "notes.json", Self.parameters(title, body)))
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

  /// Sends parameters as `AFHTTPClient` does: in the query of a GET or DELETE, otherwise in the body.
  ///
  /// - Throws: `Alert` unless the status is a success.
  private func send(_ method: String, _ path: String, _ parameters: [(String, String)]) async throws -> Data {
    let credentials = Data("\(email):secret12".utf8).base64EncodedString()
    let request = try URLRequest(
      method, "\(origin)/\(path)", form: parameters, fields: ["Authorization": "Basic \(credentials)"])
    let (data, response) = try await loader.load(request)
    guard (200..<300).contains(response.statusCode) else {
      let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
      throw Alert(status: response.statusCode, errors: object?["errors"] as? String)
    }
    return data
  }
}
