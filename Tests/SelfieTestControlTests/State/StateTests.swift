import APITestSupport
import Cryptography
import Foundation
import HTTPMessages
import SelfieTestDocuments
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

/// What `GET /__admin/state` returns, and that it can be seeded again.
@Suite(.timeLimit(.minutes(10))) struct StateTests {
  private static let photoID = String(repeating: "p", count: Photo.idLength)

  /// Everything that can be stored, in a world that is a day ahead.
  private func filled() async throws -> Fixture {
    let fixture = try Fixture()
    #expect(await fixture.send("POST", "/__admin/clock", #"{"advance":"25h"}"#).status == 200)
    let response = await fixture.send(
      "POST", "/__admin/seed",
      """
      {"users":[
        {"email":"ada@example.com","password":"analytical","created_at":"2020-01-01",
         "tokens":["adas",{"token":"gone","expires_at":"2021-01-01"},{"token":"kept","retired":true,"family":""}],
         "photos":[{"random_id":"\(Self.photoID)","title":"<me>","base64":"/9j/4AA="},{"name":""},{"name":"a.png"}],
         "notes":[{"title":"Milk","body":"two","created_at":"2020-01-02","updated_at":"2020-01-03"}]},
        {"email":"nobody@example.com","full_name":"","disabled_at":"2026-01-01"}],
       "microblog":{"users":[{"name":"ada","sessions":[{},{"used_at":"2020-01-01"}],"blogposts":["b",
         {"text":"a","created_at":"2020-01-01"}]},{"name":"bob","blogposts":["c"]}]}}
      """)
    #expect(response.status == 200, "\(response.text)")
    return fixture
  }

  @Test func `a state can be seeded again, here or in another world, and is the same then`() async throws {
    let fixture = try await filled()
    let signIn = ["email": "ada@example.com", "password": Fixture.encrypted("analytical")]
    let (photos, state) = (await fixture.photos(of: "adas").text, await fixture.send("GET", "/__admin/state"))
    #expect(state.status == 200)
    #expect(await fixture.send("POST", "/__admin/reset").status == 200)
    #expect(await fixture.photos(of: "adas").status == 401)
    for world in [nil, "other"] {
      let seeded = await fixture.send("POST", "/__admin/seed", world: world, state.text)
      #expect(seeded.status == 200, "\(seeded.text)")
      #expect(await fixture.send("GET", "/__admin/state", world: world).text == state.text)
      #expect(try await fixture.api("POST", "signin", world: world, signIn).status == 200)
    }
    #expect(await fixture.photos(of: "adas").text == photos)
    let photo = await fixture.worlds.respond(Request("GET", "/photos/\(Self.photoID)", fields: [("Host", "localhost")]))
    #expect(photo.body.content ?? [] == [0xff, 0xd8, 0xff, 0xe0, 0] || photo.body.length == 5)
    let again = await fixture.send("POST", "/__admin/seed", state.text)
    #expect(again.status == 409)
    #expect(again.message.contains("There is already a photo \(Self.photoID)."))
  }

  @Test func `what seed answers can be seeded elsewhere, with its tokens and cookies`() async throws {
    let fixture = try Fixture()
    let seed =
      #"{"users":[{"email":"a@b.c","tokens":[{}],"photos":[{}]}],"microblog":{"users":[{"name":"a","sessions":[{}]}]}}"#
    let answer = await fixture.send("POST", "/__admin/seed", seed)
    let elsewhere = await fixture.send("POST", "/__admin/seed", world: "other", answer.text)
    #expect(elsewhere.status == 200, "\(elsewhere.text)")
    #expect(elsewhere.text == answer.text)
    for secret in [#""password":"secret12""#, #""token":"#, #""cookie":"#] { #expect(answer.text.contains(secret)) }
    #expect(!answer.text.contains("digest") && !answer.text.contains("password_hash"))
  }

  @Test func `a state without the bytes of photos is small, and cannot be seeded by mistake`() async throws {
    let fixture = try await filled()
    let state = await fixture.send("GET", "/__admin/state?base64=false")
    #expect(!state.text.contains("base64") && state.text.contains(#""byte_count":5"#))
    await fixture.expectRefusal(
      of: state.text, at: "seed", "users[0].photos[0].byte_count is 5, but the photo has 69 bytes.")
    #expect(await fixture.send("GET", "/__admin/state?base64=maybe").message == "base64 must be true or false.")
  }

  @Test func `an empty world has an empty state`() async throws {
    let fixture = try Fixture()
    #expect(await fixture.send("GET", "/__admin/state").text == #"{"users":[]}"#)
    #expect(await fixture.send("POST", "/__admin/seed", #"{"users":[]}"#).status == 200)
  }

  @Test func `the clock is set before the users are created, and not if the seed fails`() async throws {
    let fixture = try Fixture()
    let seed = #"{"clock":{"freeze":"2020-01-01"},"users":[{"email":"a@b.c","tokens":[{"expires_in":"1h"}]}]}"#
    let answer = await fixture.send("POST", "/__admin/seed", seed)
    #expect(answer.text.contains(#""expires_at":"2020-01-01T01:00:00.000Z""#), "\(answer.text)")
    let state = await fixture.send("GET", "/__admin/state")
    #expect(state.text.hasPrefix(#"{"clock":{"freeze":"2020-01-01T00:00:00.000Z"},"#))
    let again = seed.replacingOccurrences(of: "2020-01-01", with: "2021-01-01")
    #expect(await fixture.send("POST", "/__admin/seed", again).status == 409)
    #expect(await fixture.send("GET", "/__admin/clock")["now"] as? String == "2020-01-01T00:00:00.000Z")
  }

  @Test func `a state fails if a photo's file is damaged`() async throws {
    let api = try APIFixture()
    try await api.state.seed(Seed(users: [.init(email: "a@b.c", photos: [.init(randomID: Self.photoID)])]))
    try api.folder.write([1], to: "photos/pp/\(Self.photoID)")
    let error = await #expect(throws: ControlError.self) { try await api.state.export() }
    #expect(error?.description.contains(Self.photoID) == true)
  }

  @Test func `a seed after a reset brings every right to refresh back`() async throws {
    let api = try APIFixture()
    let retired = try await api.newUser()
    api.clock.advance(seconds: 86_400)
    let refreshed = try await api.signIn()
    #expect(await api.refresh(refreshed).status == .ok)
    let state = try await api.state.export()
    #expect(state.users.first?.tokens.map(\.retired) == [true, nil, nil])
    try await api.state.reset()
    #expect(await api.refresh(retired).status == .forbidden)
    try await api.state.seed(state)
    #expect(try await api.state.export() == state)
    for token in [retired, refreshed] { #expect(await api.refresh(token).status == .ok) }
    api.clock.advance(seconds: 60)
    #expect(await api.refresh(refreshed).fields["X-Error"] == "reused_token")
  }

  @Test func `the response to a full disk says what makes room`() async throws {
    let fixture = try Fixture()
    try await fixture.worlds.main.database.write { try $0.execute("PRAGMA max_page_count = 1") }
    let users = (0..<2000).map { #"{"email":"user\#($0)@example.com"}"# }.joined(separator: ",")
    let response = await fixture.send("POST", "/__admin/seed", #"{"users":[\#(users)]}"#)
    #expect(response.status == 507 && response["status"] as? Int == 507)
    #expect(response.message.contains("POST /__admin/reset"))
    #expect(await fixture.send("POST", "/__admin/reset").status == 200)
  }

  @Test func `a state with any number of ended tokens is a seed`() async throws {
    let fixture = try Fixture()
    let tokens = (0..<1_100).map { #"{"token":"old-\#($0)","retired":true}"# }.joined(separator: ",")
    await fixture.seed(#"{"email":"ada@example.com","tokens":[\#(tokens),"new"]}"#)
    let state = await fixture.send("GET", "/__admin/state")
    #expect(await fixture.send("POST", "/__admin/reset").status == 200)
    #expect(await fixture.send("POST", "/__admin/seed", state.text).status == 200)
    #expect(await fixture.send("GET", "/__admin/state").text == state.text)
  }

  @Test(arguments: ["QUJD", "QUI=", "QUI", "QQ==", "QQ", "QU\\nJD\\r\\n", ""])
  func `base64 may be without padding, and have line breaks`(base64: String) async throws {
    try await Fixture().seed(#"{"email":"ada@example.com","photos":[{"base64":"\#(base64)"}]}"#)
  }
}
