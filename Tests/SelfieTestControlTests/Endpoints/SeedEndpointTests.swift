import APITestSupport
import Cryptography
import Foundation
import HTTPMessages
import SelfieTestDocuments
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

@Suite struct SeedEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private static func users(_ response: Fixture.ControlResponse) throws -> [[String: Any]] {
    try #require(response["users"] as? [[String: Any]], "\(response.text)")
  }

  @Test func `the shortest seed makes a user who can sign in, with a photo`() async throws {
    let response = await fixture.send("POST", "/__admin/seed", #"{"users":[{"email":"a@b.c","photos":[{}]}]}"#)
    #expect(response.status == 200)
    let user = try #require(try Self.users(response).first)
    #expect(user["id"] as? Int == 1)
    #expect([user["first_name"], user["last_name"]] as? [String] == ["Test", "User"])
    let password = try #require(user["password"] as? String)
    let signin = try await fixture.api(
      "POST", "signin", ["email": "a@b.c", "password": Fixture.encrypted(password)])
    #expect(signin.status == 200, "\(signin.text)")
    let photo = try #require((user["photos"] as? [[String: Any]])?.first)
    let id = try #require(photo["random_id"] as? String)
    #expect(photo["image_url"] as? String == "http://localhost:3000/photos/\(id)")
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

  /// Members of a user, and what is wrong with them.
  private static let wrongUsers = [
    (#""email":"""#, #".email is invalid: signup would not take "" either."#),
    (#""email":"a@b@c.d""#, #".email is invalid: signup would not take "a@b@c.d" either."#),
    (#""email":"a\u0000@b.c""#, ".email contains a NUL character."), (#""password":"short""#, ".password has 5 bytes"),
    (#""password":"\#(String(repeating: "é", count: 37))""#, ".password has 74 bytes; a password has 6 to 72."),
    (#""password_hash":"secret12""#, ".password_hash is not a bcrypt hash."),
    (#""password":"secret12","password_hash":"\#(hash)""#, ".password and password_hash exclude each other."),
    (#""first_name":"\#(String(repeating: "x", count: 256))""#, ".first_name has more than 255 characters."),
    (#""full_name":"A","first_name":"B""#, ".full_name and first_name or last_name exclude each other."),
    (#""id":"x""#, ".id must be a whole number."),
    (#""created_at":"1969-01-01""#, ".created_at must be an instant such as"),
    (#""tokens":[5]"#, ".tokens[0] must be a string or an object."),
    (#""tokens":["t","t"]"#, ".tokens[1]: another record has"),
    (#""tokens":["t",{"digest":"\#(Digest.hex(Digest.sha256(Array("t".utf8))))"}]"#, ".tokens[1]: another record has"),
    (#""tokens":[{"token":"t","digest":"\#(digest)"}]"#, ".tokens[0].token and digest exclude each other."),
    (#""tokens":[{"digest":"0g"}]"#, ".tokens[0].digest is not a SHA-256, which has 64 hexadecimal digits."),
    (#""tokens":[{"family":"00"}]"#, ".tokens[0].family is not a SHA-256"),
    (#""tokens":[""]"#, ".tokens[0].token is no token that a client could send"),
    (#""tokens":["line\nbreak"]"#, ".tokens[0].token is no token"), (#""tokens":["a\";b"]"#, ".tokens[0].token is no"),
    (#""tokens":["\#(String(repeating: "x", count: 257))"]"#, ".tokens[0].token is no token that a client could send"),
    (#""tokens":[{"expires_in":"1 day"}]"#, ".tokens[0].expires_in must be a duration such as"),
    (#""tokens":[{"expires_in":"-36500d"}]"#, ".tokens[0].expires_in does not end from 1970 to 9999."),
    (#""tokens":[{"expires_in":"1d","expires_at":"2026-01-01"}]"#, ".tokens[0].expires_at and expires_in exclude"),
    (#""photos":[{"random_id":"../etc"}]"#, ".photos[0].random_id must have 41 letters from a to z and A to Z."),
    (
      #""photos":[{"random_id":"\#(id)"},{"random_id":"\#(id)"}]"#,
      ".photos[1].random_id: another record has \(id), too."
    ),
    (#""photos":[{"title":"\u0000"}]"#, ".photos[0].title contains a NUL character."),
    (#""photos":[{"base64":"*"}]"#, ".photos[0].base64 must be base64"),
    (#""photos":[{"base64":"QUJD=QUJD"}]"#, ".photos[0].base64 must be base64"),
    (#""photos":[{"base64":"QUJD===="}]"#, ".photos[0].base64 must be base64"),
    (#""photos":[{"base64":"QUJDQ=="}]"#, ".photos[0].base64 must be base64"),
    (#""photos":[{"base64":"QUJDQ"}]"#, ".photos[0].base64 must be base64"),
    (#""photos":[{"base64":"QUI=\n="}]"#, ".photos[0].base64 must be base64"),
    (#""photos":[{"part":"x"}]"#, ".photos[0].part is x, and the multipart body has no such part."),
    (#""photos":[{"byte_count":1}]"#, ".photos[0].byte_count is 1, but the photo has 69 bytes."),
    (#""notes":["x"]"#, ".notes[0] must be an object."),
    (#""notes":[{"title":"\#(String(repeating: "x", count: 256))"}]"#, ".notes[0]: Title is too long"),
    (#""notes":[{"body":"\u0000"}]"#, ".notes[0]: Body must not contain a NUL character."),
  ].map {
    (
      #"{"users":[{"email":"a@b.c",\#($0.0)}]}"#.replacing(#""email":"a@b.c","email""#, with: #""email""#),
      "users[0]\($0.1)"
    )
  }

  private static let wrongMicroblogUsers = [
    (#""name":" ""#, ".name: A name must not be blank."), (#""name":"a\u0000""#, ".name: A name must not contain"),
    (#""name":"a","password":"""#, ".password: A password has 1 to 72 bytes."),
    (#""name":"a","sessions":["short"]"#, ".sessions[0].cookie is not of 32 letters or digits."),
    (#""name":"a","sessions":["\#(String(repeating: ";", count: 32))"]"#, ".sessions[0].cookie is not of 32"),
    (#""name":"a","sessions":["\#(cookie)","\#(cookie)"]"#, ".sessions[1]: another record has the same cookie."),
    (#""name":"a","sessions":[1]"#, ".sessions[0] must be a string or an object."),
    (#""name":"a","blogposts":[" "]"#, ".blogposts[0].text: text must not be blank."),
    (#""name":"a","blogposts":[{}]"#, ".blogposts[0].text is missing."),
    (
      #""name":"a","blogposts":[{"text":"x","uuid":"1"},{"text":"y","uuid":"1"}]"#, ".blogposts[1].uuid: another record"
    ),
    (#""name":"a"},{"name":"a""#, ""),
  ].map {
    (
      #"{"microblog":{"users":[{\#($0.0)}]}}"#,
      $0.1.isEmpty ? "microblog.users[1].name: another record has a, too." : "microblog.users[0]\($0.1)"
    )
  }

  private static let wrong = [
    ("", "users is missing"), (" \r\n\t", "users is missing"), ("{}", "users is missing"),
    (#"{"users":null}"#, "users is"),
    ("null", "The body must be a JSON object."), ("\0\0", "The request body is not valid JSON"),
    (#"{"users":[],"clock":{},"users":[]}"#, "The member at byte 23 of the JSON is given twice: users."),
    (#"{"user":[]}"#, "There is no user here. Possible members: clock, users, microblog."),
    (#"{"users":[{}]}"#, "users[0].email is missing."), (#"{"users":["a@b.c"]}"#, "users[0] must be an object."),
    (#"{"users":[{"email":"a@b.c"},{"email":"a@b.c"}]}"#, "users[1].email: another record has a@b.c, too."),
    (#"{"microblog":[]}"#, "microblog must be an object."),
    (#"{"microblog":{"user":[]}}"#, "There is no microblog.user"),
    (#"{"microblog":{"users":[{}]}}"#, "microblog.users[0].name is missing."),
    (#"{"clock":{"freeze":true,"run":true}}"#, "clock: A clock cannot be frozen and running"),
  ]

  private static let hash = "$2b$04$" + String(repeating: "a", count: 21) + "." + String(repeating: "a", count: 31)
  private static let digest = String(repeating: "01", count: 32)
  private static let id = String(repeating: "a", count: Photo.idLength)
  private static let cookie = "adasSession0123456789adasSession"

  @Test(arguments: wrong + wrongUsers + wrongMicroblogUsers)
  func `a seed with a mistake is refused, and nothing is stored`(body: String, message: String) async {
    await fixture.expectRefusal(of: body, at: "seed", message)
    #expect(await fixture.send("GET", "/__admin/state").text == #"{"users":[]}"#)
  }

  @Test func `all mistakes are named at once, up to twenty`() async {
    await fixture.expectRefusal(
      of: #"{"users":[{"emial":"a@b.c"},{"email":5,"photos":[{"titel":"x"}]}],"colck":{}}"#, at: "seed",
      """
      users[0].email is missing. There is no users[0].emial here. Possible members: id, email, password, password_hash, \
      full_name, first_name, last_name, tokens, photos, notes, created_at, updated_at, disabled_at. \
      users[1].email must be a string. There is no users[1].photos[0].titel here. Possible members: id, random_id, \
      image_url, name, title, content_type, byte_count, created_at, updated_at, base64, part. \
      There is no colck here. Possible members: clock, users, microblog.
      """)
    let users = (0..<22).map { _ in #"{"email":"a","password":"b"}"# }.joined(separator: ",")
    // Two of each user, and the addresses of all but the first are another's.
    await fixture.expectRefusal(of: #"{"users":[\#(users)]}"#, at: "seed", "And 45 more.")
  }

  /// What is too much for a seed.
  private static let tooMuch: [(Seed, String)] = [
    (
      Seed(users: [.init(email: "a@b.c", tokens: (0...256).map { Seed.Token("t\($0)") })]),
      "users[0].tokens: a user has at most 256 tokens, not 257."
    ),
    (
      Seed(users: [.init(email: "a@b.c", photos: [.init([1, 2, 3, 4, 5])])]),
      "users[0].photos[0] has 5 bytes, more than the 4"
    ),
    (
      Seed(users: [.init(email: "a@b.c", notes: .init(repeating: .init(), count: 10_001))]),
      "users[0].notes: a user has at most 10000 notes, not 10001."
    ),
    (
      Seed(users: [
        .init(
          email: "a@b.c",
          notes: .init(repeating: .init(body: String(repeating: "x", count: Note.maxBodyBytes)), count: 33))
      ]), "users[0].notes have 4325376 bytes; those of a user have at most 4194304."
    ),
    (
      Seed(microblogUsers: [.init(name: "a", sessions: .init(repeating: .init(), count: 257))]),
      "microblog.users[0].sessions: a user has at most 256 sessions, not 257."
    ),
    (
      Seed(
        microblogUsers: .init(repeating: .init(name: "a", blogposts: .init(repeating: "x", count: 10_000)), count: 11)),
      "A seed has at most 100000 notes and posts, not 110000."
    ),
    (
      Seed(users: [.init(email: "a@b.c", photos: .init(repeating: .init(), count: 50_001))]),
      "A seed has at most 50000 photos, not 50001."
    ),
  ]

  // By index, since a failure, or a verbose run, prints its arguments, and one of these seeds has 110,000 posts.
  @Test(arguments: tooMuch.indices)
  func `a seed of too much is refused`(index: Int) async throws {
    let (seed, message) = Self.tooMuch[index]
    let api = try APIFixture { $0.maxPhotoBytes = 4 }
    let error = await #expect(throws: ControlError.self) { try await api.state.seed(seed) }
    #expect(error?.status == .badRequest)
    #expect(error?.description.hasPrefix(message) == true, "\(error.map(\.description) ?? "")")
  }
}
