import HTTPMessages

/// The addresses of the server: a line for each method of a path. A credential is looked for before the body is read, and
/// given to the endpoint.
///
/// HEAD follows from GET unless `.withoutHead` says that the GET changes something; `Allow` follows from both.
extension RouteTable {
  /// The API that the tutorial's app calls, and refresh_token for those on Alamofire. Like Rails, it takes a `.format` of
  /// any kind after an action.
  static let selfie = RouteTable(
    of: .selfie, takesFormat: true,
    [
      Route(.post, "/api/signup", .apiPassword, counts: .signUp) { try await $0.signup($1, by: $2) },
      Route(.post, "/api/signin", .apiPassword, counts: .signIn) { try await $0.signin($1, by: $2) },
      Route(.get, "/api/get_token", .apiPassword, .withoutHead, counts: .signIn) { try await $0.getToken($1, by: $2) },
      Route(.post, "/api/reset_password", .token) { try await $0.resetPassword($1, as: $2) },
      Route(.post, "/api/upload_photo", .token, .readsBody, counts: .upload) { try await $0.uploadPhoto($1, as: $2) },
      Route(.get, "/api/get_photos", .tokenWithPhotos, atOnce: { $0.photosAtOnce($1, id: $2) }) {
        try await $0.getPhotos($1, as: $2)
      },
      Route(.delete, "/api/delete_photo", .token) { try await $0.deletePhoto($1, as: $2) },
      Route(.get, "/api/clear_token", .tokenToClear, .withoutHead) { try await $0.clearToken($1, $2) },
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
      Route(.post, "/users/register", counts: .signUp) { try await $0.registerMicroblogUser($1) },
      Route(.post, "/users/login", counts: .signIn) { try await $0.loginMicroblogUser($1) },
      Route(.post, "/users/logout") { try await $0.logoutMicroblogUser($1) },
      Route(.get, "/users") { try await $0.listMicroblogUsers($1) },
      Route(.get, "/blogposts") { try await $0.listBlogposts($1) },
      Route(.post, "/blogposts") { try await $0.createBlogpost($1) },
      Route(.get, "/probe_status") { $0.probeStatus($1) },
    ])

  /// The API of the Notes app. Like Rails, it takes a `.format` of any kind.
  static let notes = RouteTable(
    of: .notes, errors: .notes, takesFormat: true,
    [
      Route(.get, "/notes", .notesUser) { try await $0.listNotes($1, of: $2) },
      Route(.post, "/notes", .notesUser) { try await $0.createNote($1, by: $2) },
      Route(.get, "/notes/:id", .notesUser) { try await $0.showNote($1, of: $2) },
      Route(.put, "/notes/:id", .notesUser) { try await $0.updateNote($1, by: $2) },
      Route(.patch, "/notes/:id", .notesUser) { try await $0.updateNote($1, by: $2) },
      Route(.delete, "/notes/:id", .notesUser) { try await $0.deleteNote($1, by: $2) },
    ])

  /// The pages about the server itself, for people and monitors. The original's root was home#index, which had an address
  /// of its own too.
  package static let server = RouteTable([
    Route(.get, "/", .withoutOptions) { try $0.home($1) },
    Route(.get, "/home/index", .withoutOptions) { try $0.home($1) },
    Route(.get, "/home/index.html", .withoutOptions) { try $0.home($1) },
    Route(.get, "/pages/:id") { try $0.homePageFile($1) },
    Route(.get, "/up", atOnce: { $0.health($1, id: $2) }) { $0.health($1.request) },
    Route(.get, "/readyz") { try await $0.readiness($1) },
  ])

  /// The one with most requests comes first.
  static let all = [selfie, photos, microblog, notes, server]
}
