import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

/// The state of the Notes and the Microblog app.
@Suite(.timeLimit(.minutes(10))) struct FamiliesStateTests {
  private func filled() async throws -> APIFixture {
    let api = try APIFixture()
    try await api.signUp()
    let user = try #require(try await api.application.users.find(email: "jane@example.com"))
    let note = Note(userID: user.id, title: "Milk", body: "two", createdAt: api.clock.now)
    let stored = try await api.application.notes.insert(note, by: user)
    #expect(try await api.application.notes.remove(id: stored.id, by: user))
    _ = try await api.application.notes.insert(note, by: user)

    let ada = MicroblogUser(name: "ada", passwordHash: user.passwordHash, createdAt: api.clock.now)
    _ = try await api.application.microblogUsers.insert(ada)
    let owner = try #require(try await api.application.microblogUsers.find(name: "ada"))
    let session = MicroblogSession(
      digest: [UInt8](repeating: 7, count: 32), userID: owner.id, createdAt: api.clock.now, usedAt: api.clock.now)
    #expect(try await api.application.microblogSessions.insert(session, of: owner))
    let post = Blogpost(
      uuid: "00000000-0000-4000-8000-000000000000", userID: owner.id, text: "Hello", createdAt: api.clock.now)
    #expect(try await api.application.blogposts.insert(post, ifLives: session.digest))
    return api
  }

  @Test func `an import after a reset brings back everything`() async throws {
    let api = try await filled()
    let document = try await api.state.exportState()
    #expect(document.counts == StateCounts(users: 1, notes: 1, microblogUsers: 1, blogposts: 1))
    #expect(document.lastNoteID == 2)
    #expect(try await api.state.reset() == document.counts)
    let empty = try await api.state.exportState()
    #expect(empty.counts == StateCounts())
    #expect(empty.microblog == MicroblogState(lastUserID: 0, lastBlogpostID: 0))
    #expect(try await api.state.importState(document) == document.counts)
    #expect(try await api.state.exportState() == document)
  }

  @Test func `every mistake is named`() async throws {
    let api = try await filled()
    var document = try await api.state.exportState()
    document.notes[0].userID = 9
    document.notes[0].title = String(repeating: "x", count: 256)
    document.microblog.users.append(document.microblog.users[0])
    document.microblog.sessions[0].digest = []
    document.microblog.blogposts[0].text = " "
    document.microblog.blogposts.append(document.microblog.blogposts[0])
    let error = await #expect(throws: ControlError.self) { try await api.state.importState(document) }
    let problems = error?.problems ?? []
    for place in [
      "notes[0].user_id is 9", "notes[0]: Title is too long", "microblog.users[1]: another user has the id 1",
      "microblog.users[1]: another user has the name ada", "microblog.sessions[0].digest",
      "microblog.blogposts[0].text must not be blank", "microblog.blogposts[1]: another post has the uuid",
    ] {
      #expect(problems.contains { $0.hasPrefix(place) }, "\(place): \(problems)")
    }
  }
}
