import APITestSupport
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import SelfieAPI

/// The field X-Error-Detail, for mistakes that authors of apps make.
@Suite(.eachDatabase) struct ExplanationTests {
  private static let json = "application/json"
  private static let form = "application/x-www-form-urlencoded"
  private static let multipart = "multipart/form-data; boundary=B"

  private static func part(_ name: String, _ rest: String = "") -> String {
    "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\(rest)\r\n\r\nx\r\n"
  }

  @Test func `Base64 that no name and password have is not decoded`() async throws {
    let field = "Basic " + String(repeating: "QUJD", count: 2000)
    let response = try await APIFixture().get("/api/get_token", fields: [(name: "Authorization", value: field)])
    #expect(
      response.fields["X-Error-Detail"]?.hasPrefix(
        "what follows Basic is 8000 letters long; a name and a password have")
        == true)
  }

  // MARK: - Parameters

  @Test(arguments: [
    (json, #"{"username":"a","password":"x"}"#, #"no "email"; the body has "password" and "username""#),
    (json, #"{"Email":"a"}"#, #"no "email" and no "password"; the body has "Email""#),
    (
      json, #"{"user":{"email":"a","password":"x"}}"#,
      #"no "email" and no "password"; the body has "user"; what is in "user" belongs at the top"#
    ),
    (
      form, "user[email]=a&password=x",
      #"no "email"; the body has "password" and "user"; what is in "user" belongs at the top"#
    ),
    (json, #"{"email":null,"password":"x"}"#, #""email" is null or false; the body has "email" and "password""#),
    (json, "{}", #"no "email" and no "password"; the body has no parameters"#),
    (
      form, "data=%7B%22email%22%3A1%7D",
      #"no "email" and no "password"; the body has "data"; "data" is a text of JSON; its members are sent at the top"#
    ),
    (json, "", #"no "email" and no "password"; the request has neither a body nor a query"#),
    (json, "[1]", #"no "email" and no "password"; the JSON of the body is a list; expected an object"#),
    (
      json, #""{\"email\":1}""#,
      #"no "email" and no "password"; the JSON of the body is a string; expected an object"#
    ),
    (json, "--B\r\n", "the body looks like multipart/form-data; its Content-Type is JSON's"),
    (
      form, "--B\r\nContent-Disposition: form-data; name=\"email\"",
      #"no "email" and no "password"; the body looks like multipart/form-data; its Content-Type is "# + form
    ),
    (json, "email=a&password=x", "the body looks like application/x-www-form-urlencoded; its Content-Type is JSON's"),
    (
      form, #"{"email":"a","password":"x"}"#,
      #"no "email" and no "password"; the body looks like application/json; its Content-Type is "# + form
    ),
    (
      "text/plain;charset=UTF-8", #"{"email":"a","password":"x"}"#,
      "Content-Type is text/plain; expected application/json, \(form) or multipart/form-data"
    ),
    (
      "Token token=abc", "{}",
      "Content-Type is not a media type; expected application/json, \(form) or multipart/form-data"
    ),
    (
      json, "[object Object]",
      "the body looks like an object that JavaScript has printed, without JSON.stringify; its Content-Type is JSON's"
    ),
    (json, #"{"email":5,"password":"x"}"#, "email is a number; expected a string"),
    // What may be a secret in the wrong place is not repeated.
    (
      form, "\(String(repeating: "s", count: 24))=1&a%20b=1",
      #"no "email" and no "password"; the body has one with 3 letters and one with 24 letters"#
    ),
  ])
  func `what a sign-in lacks is named, beside what was sent`(type: String, body: String, detail: String) async throws {
    let response = try await APIFixture().send("POST", "/api/signin", as: .app, type: type, body: body)
    #expect(response.status == .badRequest)
    #expect(response.fields["X-Error-Detail"] == detail)
  }

  @Test func `a body without Content-Type is not read`() async throws {
    let fields = [(name: "Host", value: "a")] + APIFixture.Caller.app.fields
    let request = Request("POST", "/api/signin", fields: fields, body: Array("email=a".utf8))
    let response = try await APIFixture().application.respond(request)
    #expect(
      response.fields["X-Error-Detail"]?.hasPrefix("no Content-Type, so the body is not read; expected ") == true)
  }

  @Test(arguments: [
    (
      multipart, part("file", "; filename=\"a.jpg\"") + part("title") + "--B--",
      #"no part named "image"; the body has "file" and "title""#
    ),
    (multipart, part("image", "; filename=\"a.jpg\"") + "--B--", #"no part named "title"; the body has "image""#),
    (
      multipart, part("image[]", "; filename=\"a.jpg\"") + part("title") + "--B--",
      #"image is a list; expected a part named "image" with a filename"#
    ),
    (
      multipart, part("title", "; filename=\"a\"") + part("image", "; filename=\"a\"") + "--B--",
      "title is a file; expected a string"
    ),
    (
      multipart, part("image") + part("title") + "--B--",
      #"image is text; expected a part named "image" with a filename (curl: -F image=@FILE)"#
    ),
    (
      multipart, part("image", "; filename=\"\"") + part("title") + "--B--",
      #"the part "image" has an empty filename; the body has "title""#
    ),
    (
      multipart, "--B\r\nContent-Disposition: form-data; filename=\"a\"\r\n\r\nx\r\n" + part("title") + "--B--",
      #"no part named "image"; a part with a filename has no name; the body has "title""#
    ),
    (multipart, "--B--", #"no part named "title" and no "image"; the closing boundary comes before any part"#),
    (
      multipart, "--X\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n--X--",
      #"the body begins with the line "--X"; Content-Type asks for the line "--B", ended by CR LF"#
    ),
    (
      multipart, "{}",
      #"the body looks like JSON; Content-Type asks for the line "--B", ended by CR LF"#
    ),
    (json, #"{"title":"t","image":"aGk="}"#, "Content-Type is application/json" + neededFile),
    ("image/jpeg", "\u{7f}", "Content-Type is image/jpeg" + neededFile),
    (form, "title=t&image=x", "Content-Type is \(form)" + neededFile),
    (form, "", "the request has no body" + neededFile),
  ])
  func `what an upload lacks is named, beside what was sent`(type: String, body: String, detail: String) async throws {
    let api = try APIFixture()
    try await api.signUp()
    let token = try await api.signIn()
    let response = await api.send("POST", "/api/upload_photo", as: .holder(of: token), type: type, body: body)
    #expect(response.status == .badRequest)
    #expect(response.fields["X-Error-Detail"] == detail)
  }

  private static let neededFile =
    #"; expected multipart/form-data, with a part named "image" that has a filename"#

  // MARK: - Credentials

  @Test(arguments: [
    (nil, "no Authorization"), ("Basic YTpi", "Authorization is Basic"),
    ("Digest username=x", "Authorization is Digest"),
    (String(repeating: "a", count: 24), "Authorization names no scheme"),
    ("Token", "Authorization has no space and no credentials after Token"),
    ("Token=abc", "Authorization has no space and no credentials after Token"),
    ("Token token=", "the token is empty"),
    ("Token token: abc", "the token contains :, which tokens never have"),
    ("Token token={{token}}", #"the token begins with "{{": the app sent this instead of the token"#),
    ("Bearer undefined", #"the token begins with "undefined": the app sent this instead of the token"#),
    (
      #"Token token=Optional("abc")"#, #"the token begins with "Optional(": the app sent this instead of the token"#
    ),
    ("Token: token=abc", "Authorization has a colon after Token"),
    (
      "Token token=<api_authtoken>",
      #"the token begins with "<": the app sent this instead of the token"#
    ),
    (
      "Token token=" + String(repeating: "a", count: 24),
      "the token is unknown here, or was ended by a sign-out or a new password"
    ),
    (
      "Token token=abc",
      "the token is unknown here, or was ended by a sign-out or a new password; it has 3 letters, not 24"
    ),
  ])
  func `wrong credentials for a token are told apart`(field: String?, finding: String) async throws {
    let fields = field.map { [(name: "Authorization", value: $0)] } ?? []
    let response = try await APIFixture().get("/api/get_photos", fields: fields)
    let need = "; GET /api/get_photos needs Token token=<the api_authtoken of a sign-in>"
    #expect(response.fields["X-Error-Detail"] == finding + need)
  }

  @Test(arguments: [
    ("Token token=abc", "Authorization is Token"), ("Bearer abc", "Authorization is Bearer"),
    ("Basic admin:secret", "what follows Basic is not the Base64 of name:password"),
    ("Basic YWRtaW46YQ==", "the name or the password is wrong"),
    ("Basic " + base64("name:password\n"), "the password ends with white space or a line break"),
    (
      "Basic " + base64("jane@example.com:secret12"),
      "the name, which is an email address, or the password is wrong"
    ),
    (
      "Basic " + base64("<YOUR_NAME>:x"),
      #"the name begins with "<": the app sent this instead of the name"#
    ),
    ("Basic: YWRtaW46YQ==", "Authorization has a colon after Basic"),
  ])
  func `wrong credentials of the API are told apart`(field: String, finding: String) async throws {
    let response = try await APIFixture().get("/api/get_token?email=a", fields: [("Authorization", field)])
    #expect(
      response.fields["X-Error-Detail"] == finding + "; GET /api/get_token needs Basic with the API's name and password"
    )
  }

  private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

  // MARK: - Values

  @Test(arguments: [
    ("secret12", "the password is not encrypted, or was changed on its way; "),
    ("YareGHgQouCl2QNmTjUsyQ%3D%3D", #"the password contains "%", which Base64 never does: it was probably percent-"#),
    ("", "the password is empty; "),
    ("YareGHgQouCl2QNmTjUsyQ FkzW0s5j==", "the password has a space where "),
    (
      "U2FsdGVkX18x", "the password was encrypted by a passphrase, as CryptoJS and openssl enc do; expected Base64 of "
    ),
    // It decrypts, or has only the form of what does: both get the same sentence.
    (APIFixture.encrypt("abc"), "the password must be 6 to 30 bytes long and encrypted "),
    (String(repeating: "Z", count: 64), "the password must be 6 to 30 bytes long and encrypted "),
  ])
  func `a password that cannot be is told by its form`(password: String, detail: String) async throws {
    let body = #"{"full_name":"A B","email":"a@example.com","password":"\#(password)"}"#
    let response = try await APIFixture().send("POST", "/api/signup", as: .app, body: body)
    #expect(response.status == .badRequest)
    #expect(response.fields["X-Error-Detail"]?.hasPrefix(detail) == true)
  }

  @Test func `nothing is said of a password that is right, whatever else is wrong`() async throws {
    let body = #"{"full_name":"A B","email":"a","password":"\#(APIFixture.encrypt(APIFixture.password))-"}"#
    let response = try await APIFixture().send("POST", "/api/signup", as: .app, body: body)
    #expect(response.fields["X-Error-Detail"] == "the email does not look like name@host.example")
  }

  @Test(arguments: [
    ("jane @example.com", "the email has a space; "), ("Secret12", "the email has no @; "),
    ("Jane@example.com", "the email has capitals; "),
    ("jane@example.org", "no account has this email; "),
  ])
  func `an address that nobody has is told by its form`(email: String, detail: String) async throws {
    let api = try APIFixture()
    try await api.signUp()
    #expect(await api.attemptSignIn(email).fields["X-Error-Detail"]?.hasPrefix(detail) == true)
  }

  @Test(arguments: [
    ("1", "photo_id is a number; "), ("http%3A%2F%2Fa%2Fphotos%2Fb", "photo_id is an address; "),
    ("abc", "photo_id does not look like a random_id; "),
    (String(repeating: "a", count: 41), "no photo of this user has this random_id; "),
  ])
  func `a photo that is not there is told by its id's form`(id: String, detail: String) async throws {
    let api = try APIFixture()
    try await api.signUp()
    let token = try await api.signIn()
    let response = await api.send("DELETE", "/api/delete_photo?photo_id=\(id)", as: .holder(of: token))
    #expect(response.fields["X-Error-Detail"]?.hasPrefix(detail) == true)
  }

  // MARK: - Addresses

  @Test(arguments: [
    ("GET", "/api/signin?email=a", "no GET /api/signin; there is POST /api/signin"),
    ("get", "/api/get_photos", "no get /api/get_photos; there is GET /api/get_photos"),
    ("POST", "/signin", "no POST /signin; there is POST /api/signin"),
    ("POST", "/api/api/signin", "no POST /api/api/signin; there is POST /api/signin"),
    ("POST", "/API/v1/Sign-In.json", "no POST /API/v1/Sign-In.json; there is POST /api/signin"),
    ("POST", "/api/singin", "no POST /api/singin; there is POST /api/signin"),
    ("GET", "/api/getPhotos", "no GET /api/getPhotos; there is GET /api/get_photos"),
    ("POST", "/api/upload", "no POST /api/upload; there is POST /api/upload_photo"),
    (
      "DELETE", "/api/delete_photo/\(String(repeating: "a", count: 41))",
      "no DELETE /api/delete_photo/...; there is DELETE /api/delete_photo; what follows it is sent as a parameter"
    ),
    (
      "POST", "/api/signin/a@b.de/Sunny-Day-1",
      "no POST /api/signin/...; there is POST /api/signin; what follows it is sent as a parameter"
    ),
    (
      "GET", "/v1/notes/3",
      "no GET /v1/notes/...; there is GET /notes, POST /notes, GET /notes/:id, PUT /notes/:id, PATCH /notes/:id, DELETE /notes/:id; what follows it is sent as a parameter"
    ),
    ("GET", "/123", "no GET /123; the API's addresses begin with /api"),
    ("POST", "/register", "no POST /register; there is POST /api/signup, POST /users/register"),
    (
      "DELETE", "/api/photos/1",
      "no DELETE /api/photos/...; there is DELETE /api/delete_photo; what follows it is sent as a parameter"
    ),
    (
      "DELETE", "/api/delete_photo%3Fphoto_id=a",
      "the path has %3F, an escaped question mark; a query begins with \"?\" (URLComponents.queryItems, not appendingPathComponent)"
    ),
    ("PUT", "/notes", "no PUT /notes; there is GET /notes, POST /notes"),
    ("GET", "/favicon.ico", "no GET /favicon.ico; the API's addresses begin with /api"),
    (
      "POST", "/api/login",
      "no POST /api/login; there is POST /api/signin"
    ),
    (
      "POST", "/oauth/token",
      "no POST /oauth/token; there is POST /api/signin, GET /api/get_token, POST /api/refresh_token"
    ),
    ("POST", "/api%2Fsignin", "the path has %2F, an escaped slash; write the slashes of a path as they are"),
    ("POST", "/api/auth", "no POST /api/auth; there is POST /api/signin"),
    ("PUT", "/api/user/password", "no PUT /api/user/password; there is POST /api/reset_password"),
  ])
  func `the address that was meant is named`(method: String, target: String, detail: String) async throws {
    let response = try await APIFixture().send(method, target)
    #expect(response.status == .notFound)
    #expect(response.fields["X-Error-Detail"] == detail)
  }

  @Test func `a detail is one short line of ASCII`() async throws {
    let long = String(repeating: "%C3%A9/", count: 10_000)
    let detail = try #require(try await APIFixture().get("/\u{1b}é/\(long)").fields["X-Error-Detail"])
    #expect(detail.hasPrefix(#"no GET /\u{1b}\u{e9}/%C3%A9/"#), "\(detail)")
    let error = APIError(.badRequest, String(repeating: "é\n", count: 200))
    #expect(error.detailLine.utf8.count == 300 && error.detailLine.hasPrefix(#"\u{e9}\u{a}"#))
    #expect(error.detailLine.hasSuffix("..."))
  }
}
