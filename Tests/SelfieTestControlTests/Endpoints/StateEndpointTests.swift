import Foundation
import HTTPMessages
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

@Suite struct StateEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  @Test func `an export can be imported after a reset, and into another world with its photos`() async throws {
    let signup = ["email": "ada@example.com", "password": Fixture.encrypted("secret12"), "full_name": "Ada Lovelace"]
    #expect(try await fixture.api("POST", "signup", signup).status == 200)
    await fixture.seed(#"{"email":"b@example.com","tokens":["b"],"photos":[{"title":"<me>"}]}"#)
    let list = await fixture.photos(of: "b").text
    let export = await fixture.send("GET", "/__admin/state")
    #expect(export.status == 200)
    #expect(await fixture.send("POST", "/__admin/reset").status == 200)

    let response = await fixture.send("POST", "/__admin/state", export.text)
    #expect(
      response.json as? [String: Int]
        == ["users": 2, "tokens": 1, "photos": 1, "notes": 0, "microblog_users": 0, "blogposts": 0])
    #expect(await fixture.photos(of: "b").text == list)
    #expect(try await fixture.api("POST", "signin", signup).status == 200)

    // Another world keeps other photos: it has to be given the bytes.
    let elsewhere = await fixture.send("POST", "/__admin/state", world: "other", export.text)
    #expect(elsewhere.status == 400)
    #expect(elsewhere.message.contains("has no content: the server has no photo with this SHA-256"))
    var document = try #require(export.json as? [String: Any])
    var photo = try #require((document["photos"] as? [[String: Any]])?.first)
    photo["base64"] = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4EKAAAAOUAWFcGJFvAAAAAElFTkSuQmCC"
    document["photos"] = [photo]
    let text = String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
    #expect(await fixture.send("POST", "/__admin/state", world: "other", text).status == 200)
  }

  @Test func `the response to a full disk says what makes room`() async throws {
    try await fixture.worlds.main.database.write { try $0.execute("PRAGMA max_page_count = 1") }
    let users = (0..<2000).map { #"{"email":"user\#($0)@example.com"}"# }.joined(separator: ",")
    let response = await fixture.send("POST", "/__admin/seed", #"{"users":[\#(users)]}"#)
    #expect(response.status == 507 && response["status"] as? Int == 507)
    #expect(response.message.contains("POST /__admin/reset"))
    #expect(await fixture.send("POST", "/__admin/reset").status == 200)
  }

  /// A state with a photo that is given by a path.
  private static func document(_ path: String, id: String) throws -> String {
    let hash = "$2b$04$" + String(repeating: "a", count: 21) + "." + String(repeating: "a", count: 31)
    let document: [String: Any] = [
      "users": [["id": 7, "email": "a@b.c", "password_hash": hash]],
      "photos": [["user_id": 7, "random_id": id, "path": path]],
    ]
    return String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
  }

  /// A folder of seeds inside of another folder with files that no request may name.
  private static func seedFolder() throws -> (outer: TemporaryFolder, seeds: String) {
    let outer = try TemporaryFolder()
    try outer.write("GIF89a me", to: "seeds/below/a.gif")
    try outer.write("secret", to: "secret")
    try outer.write("secret", to: "seeds-too/secret")
    let seeds = "\(outer.path)/seeds"
    for (link, target) in [
      ("in", "below/a.gif"), ("folder", "below"), ("out", "../secret"), ("up", ".."),
      ("absolute", "\(outer.path)/secret"),
      ("loop", "loop"),
    ] {
      try FileManager.default.createSymbolicLink(atPath: "\(seeds)/\(link)", withDestinationPath: target)
    }
    return (outer, seeds)
  }

  @Test(arguments: ["below/a.gif", "in", "folder/a.gif", "folder/../below//./a.gif", "SEEDS/below/a.gif"])
  func `a file below the seed folder may be named`(path: String) async throws {
    let (outer, seeds) = try Self.seedFolder()
    defer { withExtendedLifetime(outer) {} }
    let fixture = try Fixture(isEphemeral: false, seedFolder: SeedFolder(seeds))
    let id = String(repeating: "g", count: 41)
    let response = await fixture.send(
      "POST", "/__admin/state", try Self.document(path.replacing("SEEDS", with: seeds), id: id),
      fields: [("Host", "selfies.example"), ("Authorization", Fixture.control)], peer: "192.0.2.1")
    #expect(response.status == 200, "\(response.text)")
    let photo = await fixture.worlds.respond(Request("GET", "/photos/\(id)", fields: [("Host", "localhost")]))
    #expect(photo.fields["Content-Type"] == "image/gif")
    #expect(photo.body.length == 9)
  }

  @Test(arguments: [
    "out", "up/secret", "absolute", "loop", "../secret", "../seeds-too/secret", "SEEDS-too/secret", "/etc/hostname",
    "/proc/self/environ", "below/../../secret", "missing", "", ".", "below", "in\0", "/proc/self/cwd/Package.swift",
  ])
  func `no other file may be named`(path: String) async throws {
    let (outer, seeds) = try Self.seedFolder()
    defer { withExtendedLifetime(outer) {} }
    let fixture = try Fixture(seedFolder: SeedFolder(seeds))
    let response = await fixture.send(
      "POST", "/__admin/state",
      try Self.document(path.replacing("SEEDS", with: seeds), id: String(repeating: "g", count: 41)))
    #expect(response.status == 400)
    #expect(
      response.message.contains("below the folder of --seed-folder") || response.message.contains("not a plain file"),
      "\(response.message)")
    #expect(await fixture.send("GET", "/__admin/state").text.contains(#""users":[]"#))
  }

  @Test func `without a seed folder no file may be named`() async throws {
    let (outer, seeds) = try Self.seedFolder()
    defer { withExtendedLifetime(outer) {} }
    await fixture.expectRefusal(
      of: try Self.document("\(seeds)/in", id: String(repeating: "g", count: 41)), at: "state",
      "the server was started without --seed-folder")
  }

  static let wrong = [
    ("", "users is missing"), (" \r\n\t", "users is missing"), ("{}", "users is missing"), ("null", "The body must be"),
    (#"{"users":null,"tokens":[]}"#, "users is missing"), ("\0\0", "The request body is not valid JSON"),
    (#"{"users":[],"photos":[],"users":[]}"#, "The member at byte 24 of the JSON is given twice: users."),
    (#"{"user":[]}"#, "There is no user here."),
    (#"{"users":[{"id":1,"email":"a@b.c"}]}"#, "users[0].password_hash is"),
    (#"{"users":[{"id":"x"}]}"#, "users[0].id must be a whole number"),
    (#"{"users":[],"tokens":[{"digest":"0g"}]}"#, "tokens[0].digest must have hexadecimal digits"),
    (#"{"users":[],"tokens":[{"digest":"0"}]}"#, "tokens[0].digest must have hexadecimal digits"),
    (#"{"users":[],"tokens":[{"digest":"00","user_id":1}]}"#, "tokens[0].expires_at is missing."),
    (
      #"{"users":[],"photos":[{"random_id":"x","user_id":1}]}"#,
      "photos[0].sha256 is missing; without it, pass the photo's path"
    ),
    (#"{"users":[],"last_user_id":-1}"#, "last_user_id must be a whole number"),
  ]

  @Test(arguments: wrong)
  func `invalid members are refused, and nothing is changed`(body: String, message: String) async {
    await fixture.seed(#"{"email":"a@b.c"}"#)
    let before = await fixture.send("GET", "/__admin/state").text
    await fixture.expectRefusal(of: body, at: "state", message)
    #expect(await fixture.send("GET", "/__admin/state").text == before)
  }
}
