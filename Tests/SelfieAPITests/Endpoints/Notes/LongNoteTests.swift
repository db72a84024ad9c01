import APITestSupport
import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import SelfieAPI

@Suite(.timeLimit(.minutes(5))) struct LongNoteTests {
  @Test(arguments: ["/notes/2.json", "/notes.json"])
  func `a long note is written by a worker, a short one on the event loop`(path: String) async throws {
    let client = try await NotesTests.Client.signedUp()
    func get(_ path: String) async throws -> Response { await client.send("GET", "\(path)?token=token") }
    let body = String(repeating: "<", count: Note.maxBodyBytes)
    #expect(await client.create("short", String(body.prefix(1000))).status == .created)
    let list = try await get("/notes.json")
    #expect(list.body.length != nil && list.elements.count == 1)
    let stored = Note(userID: 1, title: "long", body: body, createdAt: 1)
    try await client.api.application.database.write(about: .all) { try $0.insert([stored]) }
    #expect(try await get(path).fetched().text.contains(String(repeating: #"\u003c"#, count: body.utf8.count)))
    // There is no worker any more.
    client.api.finishFiling()
    #expect(try await get("/notes/1.json").status == .ok)
    #expect(try await get(path).status == .serviceUnavailable)
  }

  @Test func `neither a long note nor a page of a long list is read without memory for it`() async throws {
    let client = try await NotesTests.Client.signedUp()
    func get(_ path: String) async throws -> Response { await client.send("GET", "\(path)?token=token") }
    let body = String(repeating: "<", count: Note.maxBodyBytes)
    #expect(await client.create("short", String(body.prefix(1000))).status == .created)
    let stored = Note(userID: 1, title: "long", body: body, createdAt: 1)
    try await client.api.application.database.write(about: .all) { try $0.insert([stored]) }
    let list = try await get("/notes.json")
    let memory = client.api.application.memory
    let used = memory.limit / 8 * 7
    memory.add(used)
    let refused = try await get("/notes/2.json")
    #expect(refused.status == .serviceUnavailable && refused.fields["X-Error"] == "busy")
    let failure = await #expect(throws: BodyStream.Failure.self) { try await list.fetched() }
    guard case .outOfMemory? = failure else { throw NotPossible("\(String(describing: failure))") }
    #expect(try await get("/notes/1.json").status == .ok)
    memory.subtract(used)
    #expect(try await get("/notes/2.json").status == .ok)
    // Nothing stays reserved once the worker has let go of the note.
    try await waitUntil { memory.usedBytes == 0 }
  }
}
