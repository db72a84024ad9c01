import Foundation
import HTTPMessages
import SelfieAPI
import Testing

@Suite struct SeedEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private static func users(_ response: Fixture.ControlResponse) throws -> [[String: Any]] {
    try #require(response["users"] as? [[String: Any]], "\(response.text)")
  }

  @Test func `the shortest seed makes a user who can sign in`() async throws {
    let response = await fixture.send("POST", "/__admin/seed", #"{"users":[{"email":"a@b.c"}]}"#)
    #expect(response.status == 200)
    let user = try #require(try Self.users(response).first)
    #expect(user["id"] as? Int == 1)
    #expect([user["first_name"], user["last_name"]] as? [String] == ["Test", "User"])
    let password = try #require(user["password"] as? String)
    let signin = try await fixture.api(
      "POST", "signin", ["email": "a@b.c", "password": Fixture.encrypted(password)])
    #expect(signin.status == 200, "\(signin.text)")
  }

  @Test func `users get the names, tokens and photos that the test chose`() async throws {
    _ = await fixture.send("POST", "/__admin/clock", #"{"freeze":"2026-01-01T00:00:00Z"}"#)
    let id = String(repeating: "Ab", count: 20) + "c"
    let response = await fixture.send(
      "POST", "/__admin/seed",
      """
      {"users":[
        {"email":"ada@example.com","full_name":"Ada King Lovelace","password":"analytical",
         "tokens":["adas",{"token":"old","expires_at":"2025-12-31T23:59:59Z"},{"expires_in":"5m"},{}],
         "photos":[{"title":"me","random_id":"\(id)","base64":"/9j/4AA=","name":"a.jpg"},{"created_at":"2020-01-01"}]},
        {"email":"bob@example.com","first_name":"Bob","created_at":"2020-01-01"}
      ]}
      """)
    let users = try Self.users(response)
    #expect(users.map { $0["last_name"] as? String } == ["Lovelace", nil])
    let tokens = try #require(users[0]["tokens"] as? [[String: String]])
    #expect(
      tokens.map { $0["expires_at"] } == [
        "2026-01-02T00:00:00.000Z", "2025-12-31T23:59:59.000Z", "2026-01-01T00:05:00.000Z", "2026-01-02T00:00:00.000Z",
      ])
    let photos = try #require(users[0]["photos"] as? [[String: Any]])
    #expect(photos.map { $0["content_type"] as? String } == ["image/jpeg", "image/png"])
    #expect(photos[0]["image_url"] as? String == "http://localhost:3000/photos/\(id)")
  }

  @Test func `photos may be parts of a multipart body`() async throws {
    let body = """
      --b\r
      Content-Disposition: form-data; name="seed"\r
      \r
      {"users":[{"email":"a@b.c","tokens":["t"],"photos":[{"part":"one","title":"me"},{"part":"two","name":"2"}]}]}\r
      --b\r
      Content-Disposition: form-data; name="one"; filename="me.gif"\r
      Content-Type: image/png\r
      \r
      GIF89a one\r
      --b\r
      Content-Disposition: form-data; name="two"; filename="two"\r
      \r
      \r
      --b--\r\n
      """
    let fields = [("Host", "localhost:3000"), ("Content-Type", "multipart/form-data; boundary=b")]
    let response = await fixture.send("POST", "/__admin/seed", body, fields: fields)
    let photos = try #require(try Self.users(response)[0]["photos"] as? [[String: Any]])
    #expect(photos.map { $0["name"] as? String } == ["me.gif", "2"])
    #expect(photos.map { $0["content_type"] as? String } == ["image/gif", "application/octet-stream"])
    #expect(photos.map { $0["byte_count"] as? Int } == [10, 0])

    for (from, to, message) in [
      ("name=\"seed\"", "name=\"sed\"", "has no part named seed"),
      ("name=\"two\"", "name=\"one\"", "two parts named one"),
      (
        "\"part\":\"one\"", "\"part\":\"three\"", "users[0].photos[0].part is three, and the multipart body has no such"
      ),
      ("--b--", "", "ends"),
    ] {
      let broken = body.replacingOccurrences(of: from, with: to)
      let refused = await fixture.send("POST", "/__admin/seed", broken, fields: fields)
      #expect(refused.status == 400 && refused.message.contains(message), "\(refused.message)")
    }
  }

  static let wrong = [
    ("", "users is missing"), (#"{"user":[]}"#, "There is no user here. Possible members: users, microblog."),
    (#"{"users":[{}]}"#, "users[0].email is missing"), (#"{"users":["a@b.c"]}"#, "users[0] must be an object."),
    (#"{"users":[{"email":"a@b.c","pasword":"x"}]}"#, "There is no users[0].pasword here."),
    (#"{"users":[{"email":"a@b.c","full_name":"A","first_name":"B"}]}"#, "users[0].full_name and first_name"),
    (#"{"users":[{"email":"a@b.c","tokens":[5]}]}"#, "users[0].tokens[0] must be a string, or an object"),
    (#"{"users":[{"email":"a@b.c","tokens":[{"tokn":"x"}]}]}"#, "There is no users[0].tokens[0].tokn here."),
    (#"{"users":[{"email":"a@b.c","tokens":[{"expires_in":"1 day"}]}]}"#, "users[0].tokens[0].expires_in must be"),
    (
      #"{"users":[{"email":"a@b.c","tokens":[{"expires_in":"1d","expires_at":"2026-01-01"}]}]}"#,
      "users[0].tokens[0].expires_at and expires_in exclude each other."
    ),
    (#"{"users":[{"email":"a@b.c","photos":[{"base64":"*"}]}]}"#, "users[0].photos[0].base64 must be base64"),
    (
      #"{"users":[{"email":"a@b.c","photos":[{"part":"x","base64":"AAAA"}]}]}"#,
      "users[0].photos[0].base64 and part exclude each other."
    ),
    (#"{"microblog":[]}"#, "microblog must be an object."),
    (#"{"microblog":{"user":[]}}"#, "There is no microblog.user"),
    (#"{"microblog":{"users":[{}]}}"#, "microblog.users[0].name is missing"),
    (#"{"microblog":{"users":[{"name":"a","posts":[]}]}}"#, "There is no microblog.users[0].posts here."),
    (
      #"{"microblog":{"users":[{"name":"a","sessions":[1]}]}}"#,
      "microblog.users[0].sessions[0] must be a string, or an object with cookie, used_at."
    ),
    (#"{"microblog":{"users":[{"name":"a","blogposts":[{}]}]}}"#, "microblog.users[0].blogposts[0].text is missing"),
    (#"{"users":[{"email":"a@b.c","notes":["x"]}]}"#, "users[0].notes[0] must be an object."),
    (#"{"users":[{"email":"a@b.c","notes":[{"text":"x"}]}]}"#, "There is no users[0].notes[0].text here."),
  ]

  @Test(arguments: wrong)
  func `invalid members are refused`(body: String, message: String) async {
    await fixture.expectRefusal(of: body, at: "seed", message)
  }
}
