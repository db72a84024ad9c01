import Foundation
import TestSupport
import Testing

/// What the client of the Notes app sends, `MLNoteClient`: HTTP Basic with each request. `notes.http` has the rest.
struct NotesApp: Sendable {
  private let origin: String
  private let requests = AppRequests(name: "", password: "")
  private static let user = ("jane@example.com", "secret12")

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

  func getIndex() async throws -> [Note] { try await send(requests.notes(Self.user.0, Self.user.1)) }

  func createNote(title: String, body: String) async throws -> Note {
    try await send(requests.createNote(Self.user.0, Self.user.1, title: title, body: body))
  }

  private func send<Answer: Decodable>(_ request: AppRequest) async throws -> Answer {
    let response = try await RawClient.response(to: request, at: origin)
    try #require((200..<300).contains(response.status))
    return try JSONDecoder().decode(Answer.self, from: Data(response.body))
  }
}
