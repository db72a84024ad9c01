import APITestSupport
import Cryptography
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import SelfieAPI

/// The field X-Error-Detail for slips of the pen: names that are nearly right, and values of another kind.
@Suite(.eachDatabase) struct SlipTests {
  private static let json = "application/json"
  private static let multipart = "multipart/form-data; boundary=B"

  private static func part(_ name: String, _ rest: String = "") -> String {
    "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(rest)\r\n\r\nx\r\n"
  }

  @Test(arguments: [
    (
      multipart,
      "--B\r\nContent-Dispositon: form-data; name=\"image\"; filename=\"a\"\r\n\r\nx\r\n" + part("title") + "--B--",
      #"no part named "image"; a part has no Content-Disposition; it has Content-Dispositon; the body has "title""#
    ),
    (
      multipart, String(part("title").dropLast()) + part("image", "; filename=\"a\"") + "--B--",
      #"no part named "image"; the text of "title" has the boundary in it: before a boundary, a line must end with CR LF; "#
        + #"the body has "title""#
    ),
    (
      multipart, "title=x",
      #"the body does not begin with a boundary; Content-Type asks for the line "--B", ended by CR LF"#
    ),
    (
      multipart, part("image", "; filename=\"a\"") + "--B\r\n",
      #"the body ends with the line "--B"; expected "--B--" as its last line"#
    ),
    (
      multipart, "--B\r\nContent-Disposition: form-data; name=\"image\"\r\nx\r\n" + part("title") + "--B--",
      "a part has no empty line between its fields and its data"
    ),
    (
      multipart, part("title") + part("image", "; filename=\"a\"") + "--B",
      #"the body ends within a part, without the closing boundary "--B--"; if it was sent, Content-Length is too small"#
    ),
  ])
  func `a slip in a multipart body is named`(type: String, body: String, detail: String) async throws {
    let api = try APIFixture()
    try await api.signUp()
    let token = try await api.signIn()
    let response = await api.send("POST", "/api/upload_photo", as: .holder(of: token), type: type, body: body)
    #expect(response.status == .badRequest)
    #expect(response.fields["X-Error-Detail"] == detail)
  }

  @Test(arguments: [
    ("secret-password", "what follows Basic is the Base64 of a text without a colon; expected that of name:password"),
    (base64("admin:secret"), "what follows Basic was encoded twice; expected the Base64 of name:password"),
    ("\u{1}", "what follows Basic is not the Base64 of name:password"),
    (":", "the name and the password are empty"), (":b", "the name is empty"), ("a:", "the password is empty"),
    ("a\0:\0b\0", "what follows Basic is the Base64 of UTF-16; expected that of UTF-8"),
  ])
  func `what is no pair of a name and a password is told by its form`(text: String, finding: String) async throws {
    let field = "Basic \(Self.base64(text))"
    let response = try await APIFixture().get("/api/get_token?email=a", fields: [("Authorization", field)])
    #expect(response.fields["X-Error-Detail"]?.hasPrefix(finding + "; GET /api/get_token needs Basic") == true)
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  @Test func `a percent-encoded pair is named`() async throws {
    let response = try await APIFixture().get("/api/get_token?email=a", fields: [("Authorization", "Basic YTpi%3D%3D")])
    let finding = "what follows Basic contains %, which Base64 never does: it was percent-encoded; "
    #expect(response.fields["X-Error-Detail"]?.hasPrefix(finding) == true)
  }

  @Test func `the character of a token that no token has is named`() async throws {
    let response = try await APIFixture().get("/api/get_photos", fields: [("Authorization", "Token token=abc%22")])
    #expect(response.fields["X-Error-Detail"]?.hasPrefix("the token contains %, which tokens never have; ") == true)
  }

  @Test(arguments: [
    ("[1,2]", "the password is a list; "), ("5", "the password is a number; "), ("{}", "the password is an object; "),
    ("true", "the password is a Boolean; "),
  ])
  func `a password that is no text is told by its kind`(json: String, detail: String) async throws {
    let body = #"{"full_name":"A B","email":"a@example.com","password":\#(json)}"#
    let response = try await APIFixture().send("POST", "/api/signup", as: .app, body: body)
    #expect(response.fields["X-Error-Detail"]?.hasPrefix(detail) == true, "\(response.fields["X-Error-Detail"] ?? "")")
  }

  @Test(arguments: [
    ("Authorisation", "x", "no Authorization; the request has Authorisation"),
    ("Autorization", "x", "no Authorization; the request has Autorization"),
    ("X-Auth-Token", "secret", "no Authorization; the request has X-Auth-Token"),
    ("Proxy-Authorization", "Token token=secret", "no Authorization; the request has Proxy-Authorization"),
    ("Authorization", "\"Token token=secret\"", "Authorization begins with a quotation mark"),
    ("Accept", "x", "no Authorization"),
  ])
  func `a field that was meant to be Authorization is named`(name: String, value: String, finding: String) async throws
  {
    let response = try await APIFixture().get("/api/get_photos", fields: [(name: name, value: value)])
    #expect(response.fields["X-Error-Detail"]?.hasPrefix(finding + "; GET /api/get_photos needs") == true)
  }

  @Test func `a token in the query is named`() async throws {
    let query = try await APIFixture().get("/api/get_photos?api_authtoken=secret")
    #expect(query.fields["X-Error-Detail"]?.hasPrefix("no Authorization; a token in the query is not read; ") == true)
  }

  @Test func `a misspelt Content-Type is named`() async throws {
    let api = try APIFixture()
    let fields = [(name: "Host", value: "a"), (name: "Content_Type", value: Self.json)] + APIFixture.Caller.app.fields
    let request = Request("POST", "/api/signin", fields: fields, body: Array("{}".utf8))
    let detail = await api.application.respond(request).fields["X-Error-Detail"]
    #expect(
      detail?.hasPrefix("no Content-Type, so the body is not read; the request has Content_Type; expected") == true)
  }

  @Test(arguments: [
    ("abc", "what follows /photos/ is not a random_id, with its 3 letters; expected the 41 "),
    ("7", "what follows /photos/ is a number; "),
    (String(repeating: "a", count: 41), "no photo has this random_id: it was deleted, or is on another server"),
  ])
  func `an address that no photo has is told by its form`(id: String, detail: String) async throws {
    let response = try await APIFixture().get("/photos/\(id)")
    #expect(response.status == .notFound && response.fields["X-Error-Detail"]?.hasPrefix(detail) == true)
  }

  @Test(arguments: [
    ("jane@example.com ", "the email begins or ends with white space; "),
    ("ja ne@example.com", "the email has a space; in a form"),
  ])
  func `white space around an address is told from a plus that was lost`(email: String, detail: String) async throws {
    #expect(try await APIFixture().attemptSignIn(email).fields["X-Error-Detail"]?.hasPrefix(detail) == true)
  }

  @Test func `a list in place of a photo's id is told so`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    let response = await api.send("DELETE", "/api/delete_photo?photo_id[]=a", as: .holder(of: try await api.signIn()))
    #expect(response.fields["X-Error-Detail"]?.hasPrefix("photo_id is a list; DELETE /api/delete_photo needs") == true)
  }

  @Test func `how a password was encrypted instead is told at signup and signin, and not with a token`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    let token = try await api.signIn()
    let password = AESCrypt(key: Array(APIFixture.authPassword.utf8.prefix(AESCrypt.keyBytes))).encrypt(
      Array(APIFixture.password.utf8))
    let signup = #"{"full_name":"A B","email":"b@example.com","password":"\#(password)"}"#
    let finding = "the password was encrypted with the API password itself as the key; expected AES-256-CBC "
    let first = await api.send("POST", "/api/signup", as: .app, body: signup)
    #expect(first.fields["X-Error-Detail"]?.hasPrefix(finding) == true)
    let signin = #"{"email":"jane@example.com","password":"\#(password)"}"#
    let second = await api.send("POST", "/api/signin", as: .app, body: signin)
    #expect(second.status == .unauthorized && second.fields["X-Error-Detail"]?.hasPrefix(finding) == true)
    let reset = #"{"old_password":"\#(password)","new_password":"\#(password)"}"#
    let third = await api.send("POST", "/api/reset_password", as: .holder(of: token), body: reset)
    #expect(third.fields["X-Error-Detail"]?.hasPrefix("the password is wrong, or was not encrypted with") == true)
  }

  @Test(
    arguments: [
      (BodyError.timedOut, 100, "Content-Length announces 100 bytes of body, and then nothing came"),
      (
        .timedOut, nil,
        "the last chunk, of size 0, is missing, and then nothing came; the size before each chunk is in hex"
      ),
      (.disconnected, 100, "Content-Length announces 100 bytes of body, and the connection ended before them"),
      (.disconnected, nil, "the last chunk, of size 0, is missing, and the connection ended before them; "),
    ] as [(BodyError, Int?, String)])
  func `a body that ends too early is told by what announces its end`(
    error: BodyError, length: Int?, detail: String
  ) async throws {
    let fields = [(name: "Host", value: "a"), (name: "Content-Type", value: Self.json)] + APIFixture.Caller.app.fields
    let head = Request("POST", "/api/signin", fields: fields).head
    let body = RequestBody(length: length, source: PiecesBody(Array("{".utf8), sizes: [1], failure: error))
    let response = try await APIFixture().application.respond(Request(head: head, body: body, peer: "127.0.0.1"))
    #expect(response.fields["X-Error-Detail"]?.hasPrefix(detail) == true, "\(response.fields["X-Error-Detail"] ?? "")")
  }

  @Test func `a password that is too long is told so`() async throws {
    let password = APIFixture.encrypt(String(repeating: "a", count: 31))
    let body = #"{"full_name":"A B","email":"a@example.com","password":"\#(password)"}"#
    let response = try await APIFixture().send("POST", "/api/signup", as: .app, body: body)
    #expect(response.fields["X-Error-Detail"] == "the password has more than 30 bytes")
  }
}
