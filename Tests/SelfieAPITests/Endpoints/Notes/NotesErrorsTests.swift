import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// The Notes app shows the member `errors`, whatever has gone wrong.
@Suite struct NotesErrorsTests {
  private func expectErrors(
    _ response: Response, _ status: Status, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(response.status == status, sourceLocation: sourceLocation)
    #expect(
      response.fields["Content-Type"] == "application/json; charset=utf-8", sourceLocation: sourceLocation)
    #expect(response.member("errors")?.isEmpty == false, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.member("errors") == response.message, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    ("GET", "/notes/1/edit"), ("GET", "/notes/1/2/3/4/5"), ("GET", "/notes.json/1"), ("DELETE", "//notes//1/x.json"),
    ("PUT", "/notes.json"), ("DELETE", "/notes"), ("POST", "/notes/1.json"), ("BREW", "/notes/1.json"),
  ])
  func `an address or a method that there is not is 404 in words`(method: String, path: String) async throws {
    let client = try await NotesTests.Client.signedUp()
    expectErrors(await client.send(method, "\(path)?token=token"), .notFound)
  }

  @Test func `an address that only begins like the app's is not the app's`() async throws {
    let response = await (try await NotesTests.Client.signedUp()).send("GET", "/notesbook?token=token")
    #expect(response.status == .notFound)
    #expect(response.member("errors") == nil)
  }

  @Test func `a full disk is 507 in words, and notes can be deleted from it`() async throws {
    let client = try await NotesTests.Client.signedUp()
    _ = await client.create("Milk", "two")
    try await client.api.database.write { try $0.execute("PRAGMA max_page_count = 1") }
    let body = String(repeating: "x", count: 10_000)
    var (response, count) = (await client.create("1", body), 0)
    while response.status == .created && count < 200 {
      (response, count) = (await client.create("1", body), count + 1)
    }
    expectErrors(response, .insufficientStorage)
    #expect(response.fields["X-Error"] == "storage_full")
    #expect(await client.send("DELETE", "/notes/1.json?token=token").status == .noContent)
  }

  @Test func `what the server refuses before it knows the app is told in words for all of them`() async throws {
    let client = try await NotesTests.Client.signedUp()
    for status in [Status.badRequest, .headerFieldsTooLarge, .requestTimeout, .serviceUnavailable] {
      let response = client.api.application.refuse(status, "Too bad.")
      expectErrors(response, status)
      #expect(response.message == "Too bad.")
    }
    let selfie = try APIFixture { $0.families = [.selfie, .microblog] }
    #expect(selfie.application.refuse(.badRequest, "Too bad.").text == #"{"status":400,"message":"Too bad."}"#)
  }

  @Test func `a password that is replaced just before a write ends it`() async throws {
    let client = try await NotesTests.Client.signedUp()
    let token = try await client.api.signIn()
    let responses = try await client.api.queued([
      { await client.api.resetPassword(as: .holder(of: token)) }, { await client.create("Milk", "two") },
    ])
    #expect(responses[0].status == .ok)
    expectErrors(responses[1], .unauthorized)
    #expect(responses[1].fields["WWW-Authenticate"] == "Basic realm=\"Application\"")
    #expect(try client.api.count("SELECT count(*) FROM notes") == 0)
  }
}
