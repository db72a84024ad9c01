import Foundation
import SelfieClient

/// The apps' requests, sent by the client that openapi-generator makes of Docs/openapi.yaml.
///
/// Arguments: the server's address, the API's name and password, and two passwords as `selfie-server encrypt` prints them.
@main struct Flow {
  static let address = CommandLine.arguments[1]
  static let api = basic(CommandLine.arguments[2], CommandLine.arguments[3])
  static let (old, new) = (CommandLine.arguments[4], CommandLine.arguments[5])
  static let photo = Data((0..<76_800).map { UInt8(truncatingIfNeeded: $0) })

  static func main() async throws {
    let token = try await photos(email: "swift@example.com")
    let app = configuration("Bearer \(token)")
    let user = try await AccountsAPI.resetPassword(
      resetPassword: ResetPassword(oldPassword: old, newPassword: new), apiConfiguration: app)
    await expect(401) { try await PhotosAPI.getPhotos(apiConfiguration: app) }
    _ = try await AccountsAPI.clearToken(apiConfiguration: configuration("Bearer \(user.apiAuthtoken ?? "")"))
    try await notes(basic("swift@example.com", "secret13"))
    try await microblog(configuration())
    print("The generated Swift client works.")
  }

  static func configuration(_ authorization: String? = nil) -> SelfieClientAPIConfiguration {
    SelfieClientAPIConfiguration(
      basePath: address, customHeaders: authorization.map { ["Authorization": $0] } ?? [:])
  }

  static func basic(_ name: String, _ password: String) -> SelfieClientAPIConfiguration {
    configuration("Basic \(Data("\(name):\(password)".utf8).base64EncodedString())")
  }

  /// Signs up, and stores, lists, downloads and deletes a photo, once with each scheme.
  ///
  /// - Returns: a token of the user.
  static func photos(email: String) async throws -> String {
    try await check(ServerAPI.checkHealth(apiConfiguration: api).status == .up)
    let account = Signup(fullName: "Ada Lovelace", email: email, password: old)
    try await check(AccountsAPI.signUp(signup: account, apiConfiguration: api).lastName == "Lovelace")
    await expect(400) { try await AccountsAPI.signUp(signup: account, apiConfiguration: api) }
    _ = try await AccountsAPI.getToken(email: email, apiConfiguration: api)
    var user = try await AccountsAPI.signIn(signin: Signin(email: email, password: old), apiConfiguration: api)
    for (scheme, missing) in [("Token token=", 401), ("Bearer ", 404)] {
      let app = configuration("\(scheme)\(user.apiAuthtoken ?? "")")
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("selfie-\(UUID()).png")
      try photo.write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let stored = try await PhotosAPI.uploadPhoto(image: file, title: "Ä", apiConfiguration: app)
      let listed = try await PhotosAPI.getPhotos(apiConfiguration: app)
      check(listed.map(\.randomId) == [stored.randomId] && listed.map(\.title) == ["Ä"])
      let downloaded = try await PhotosAPI.downloadPhoto(randomId: stored.randomId, apiConfiguration: configuration())
      try check(Data(contentsOf: downloaded) == photo)
      _ = try await PhotosAPI.deletePhoto(photoId: stored.randomId, apiConfiguration: app)
      await expect(missing) { try await PhotosAPI.deletePhoto(photoId: stored.randomId, apiConfiguration: app) }
      user = try await AccountsAPI.refreshToken(apiConfiguration: app)
    }
    return user.apiAuthtoken ?? ""
  }

  static func notes(_ user: SelfieClientAPIConfiguration) async throws {
    let body = NoteBody(note: SentNote(title: "Milk", body: "two bottles"))
    let id = try await NotesAPI.createNote(token: .token, noteBody: body, apiConfiguration: user).id
    let change = NoteBody(note: SentNote(body: "one"))
    try await NotesAPI.updateNote(token: .token, id: id, noteBody: change, apiConfiguration: user)
    try await NotesAPI.patchNote(token: .token, id: id, noteBody: change, apiConfiguration: user)
    let note = try await NotesAPI.showNote(token: .token, id: id, apiConfiguration: user)
    check(note.title == "Milk" && note.body == "one")
    try await check(NotesAPI.listNotes(token: .token, apiConfiguration: user) == [note])
    try await NotesAPI.deleteNote(token: .token, id: id, apiConfiguration: user)
    await expect(404) { try await NotesAPI.showNote(token: .token, id: id, apiConfiguration: user) }
  }

  /// URLSession keeps the cookie of the session.
  static func microblog(_ blog: SelfieClientAPIConfiguration) async throws {
    let account = MicroblogAccount(name: "swift", password: "secret12")
    _ = try await MicroblogAPI.registerAuthor(microblogAccount: account, apiConfiguration: blog)
    await expect(409) { try await MicroblogAPI.registerAuthor(microblogAccount: account, apiConfiguration: blog) }
    _ = try await MicroblogAPI.logIn(microblogAccount: account, apiConfiguration: blog)
    let id = try await MicroblogAPI.createPost(sentPost: SentPost(text: "Hello"), apiConfiguration: blog).id
    let posts = try await MicroblogAPI.listPosts(apiConfiguration: blog).data.blogposts
    check(posts.contains { $0.id == id && $0.text == "Hello" && $0.creator == "swift" })
    let authors = try await MicroblogAPI.listAuthors(apiConfiguration: blog).data.users
    check(authors.contains { $0.name == "swift" })
    _ = try await MicroblogAPI.logOut(apiConfiguration: blog)
    await expect(403) { try await MicroblogAPI.listAuthors(apiConfiguration: blog) }
  }

  static func check(_ isAsExpected: Bool, line: Int = #line) {
    if !isAsExpected { fatalError("line \(line)") }
  }

  static func expect(_ status: Int, _ request: @Sendable () async throws -> Any) async {
    do {
      let response = try await request()
      fatalError("\(status) was expected, and not \(response)")
    } catch ErrorResponse.error(let found, _, _, _) {
      if found != status { fatalError("\(status) was expected, and not \(found)") }
    } catch {
      fatalError("\(error)")
    }
  }
}
