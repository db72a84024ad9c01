import Foundation
import FoundationNetworking
import Testing

/// What the client of the Notes app sends, `MLNoteClient`: AFNetworking's form encoding, HTTP Basic with each request,
/// and the parameter `token`. `notes.http` has the rest.
struct NotesApp: Sendable {
  private let origin: String
  private let loader = Loader()

  init(_ origin: String) {
    self.origin = origin
  }

  struct Note: Decodable, Equatable {
    let id: Int
    let title: String
    let body: String
    let created_at: String
    let updated_at: String
  }

  func getIndex() async throws -> [Note] { try await send("GET", [("token", "token")]) }

  func createNote(title: String, body: String) async throws -> Note {
    try await send("POST", [("token", "token"), ("note[title]", title), ("note[body]", body)])
  }

  /// Sends parameters as `AFHTTPClient` does: in the query of a GET, otherwise in the body.
  private func send<Answer: Decodable>(_ method: String, _ parameters: [(String, String)]) async throws -> Answer {
    let credentials = Data("jane@example.com:secret12".utf8).base64EncodedString()
    let request = try URLRequest(
      method, "\(origin)/notes.json", form: parameters, fields: ["Authorization": "Basic \(credentials)"])
    let (data, response) = try await loader.load(request)
    try #require((200..<300).contains(response.statusCode))
    return try JSONDecoder().decode(Answer.self, from: data)
  }
}
