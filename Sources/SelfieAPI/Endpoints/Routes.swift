import HTTPMessages

/// The addresses of the server: each method of a path, with the credential and the parameters that it asks for. The
/// credential is looked for before the body is read, and given to the endpoint. RouteTable.swift has the types, and
/// Respond.swift calls the endpoints.
///
/// HEAD follows from GET unless `.withoutHead` says that the GET changes something; `Allow` follows from both.
extension RouteTable {
  /// The API that the tutorial's app calls, and refresh_token for those on Alamofire. Like Rails, it takes a `.format` of
  /// any kind after an action.
  static let selfie = RouteTable(
    of: .selfie, takesFormat: true,
    [
      Route(
        .post, "/api/signup", .apiPassword, [.text("full_name"), .text("email"), .encrypted("password")],
        counts: .signUp
      ) { try await $0.signup($1, by: $2) },
      Route(.post, "/api/signin", .apiPassword, [.text("email"), .encrypted("password")], counts: .signIn) {
        try await $0.signin($1, by: $2)
      },
      // GET_TOKEN says whether the password is required.
      Route(
        .get, "/api/get_token", .apiPassword, [.text("email"), .encrypted("password", isRequired: false)],
        options: .withoutHead, counts: .signIn
      ) { try await $0.getToken($1, by: $2) },
      Route(.post, "/api/reset_password", .token, [.encrypted("old_password"), .encrypted("new_password")]) {
        try await $0.resetPassword($1, as: $2)
      },
      Route(
        .post, "/api/upload_photo", .token, [.text("title"), .file("image")], options: .readsBody, counts: .upload
      ) { try await $0.uploadPhoto($1, as: $2) },
      Route(.get, "/api/get_photos", .token, atOnce: { $0.photosAtOnce($1, id: $2) }) {
        try await $0.getPhotos($1, as: $2)
      },
      Route(.delete, "/api/delete_photo", .token, [.text("photo_id")]) { try await $0.deletePhoto($1, as: $2) },
      Route(.get, "/api/clear_token", .tokenToClear, options: .withoutHead) { try await $0.clearToken($1, $2) },
      Route(.post, "/api/refresh_token", .refreshable) { try await $0.refreshToken($1, $2) },
    ])

  /// The photos, for anyone who knows their ids.
  package static let photos = RouteTable(
    of: .selfie,
    [
      Route(.get, "/photos/:id", atOnce: { $0.keptPhoto($1, id: $2) }) { try await $0.downloadPhoto($1) }
    ])

  /// The API of the Microblog app.
  static let microblog = RouteTable(
    of: .microblog, errors: .microblog,
    [
      Route(.post, "/users/register", [.text("name"), .text("password")], counts: .signUp) {
        try await $0.registerMicroblogUser($1)
      },
      Route(.post, "/users/login", [.text("name"), .text("password")], counts: .signIn) {
        try await $0.loginMicroblogUser($1)
      },
      Route(.post, "/users/logout") { try await $0.logoutMicroblogUser($1) },
      Route(.get, "/users", [.text("after", isRequired: false), .text("limit", isRequired: false)]) {
        try await $0.listMicroblogUsers($1)
      },
      Route(.get, "/blogposts", [.text("before", isRequired: false), .text("limit", isRequired: false)]) {
        try await $0.listBlogposts($1)
      },
      Route(.post, "/blogposts", [.text("text")]) { try await $0.createBlogpost($1) },
      Route(.get, "/probe_status") { $0.probeStatus($1) },
    ])

  /// The API of the Notes app. Like Rails, it takes a `.format` of any kind.
  static let notes = RouteTable(
    of: .notes, errors: .notes, takesFormat: true,
    [
      Route(.get, "/notes", .notesUser) { try await $0.listNotes($1, of: $2) },
      Route(.post, "/notes", .notesUser, [.object("note")]) { try await $0.createNote($1, by: $2) },
      Route(.get, "/notes/:id", .notesUser) { try await $0.showNote($1, of: $2) },
      Route(.put, "/notes/:id", .notesUser, [.object("note")]) { try await $0.updateNote($1, by: $2) },
      Route(.patch, "/notes/:id", .notesUser, [.object("note")]) { try await $0.updateNote($1, by: $2) },
      Route(.delete, "/notes/:id", .notesUser) { try await $0.deleteNote($1, by: $2) },
    ])

  /// The pages about the server itself, for people and monitors. The original's root was home#index, which had an address
  /// of its own too.
  package static let server = RouteTable([
    Route(.get, "/", options: .withoutOptions) { try await $0.home($1) },
    Route(.get, "/home/index", options: .withoutOptions) { try await $0.home($1) },
    Route(.get, "/home/index.html", options: .withoutOptions) { try await $0.home($1) },
    Route(.get, "/pages/:id") { try await $0.homePageFile($1) },
    Route(.get, "/owner", options: .withoutOptions) { try await $0.closedOwnersPage($1) },
    Route(.get, "/up", atOnce: { $0.health($1, id: $2) }) { $0.health($1.request) },
    Route(.get, "/readyz") { try await $0.readiness($1) },
  ])

  /// The one with most requests comes first.
  static let all = [selfie, photos, microblog, notes, server]
}
