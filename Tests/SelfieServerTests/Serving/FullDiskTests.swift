import Foundation
import TestSupport
import Testing

/// On a disk without a single free block, users can still make room and sign out.
@Suite(.timeLimit(.minutes(10)), .enabled(if: SmallDisk.isPossible)) struct FullDiskTests {
  private let disk: SmallDisk
  private let folder: TemporaryFolder

  init() throws {
    disk = try SmallDisk(megabytes: 32)
    folder = try TemporaryFolder()
  }

  private func start() throws -> ServerProcess {
    try ServerProcess(
      environment: [
        "STORAGE_DIR": disk.path, "MAX_PHOTO_BYTES": "1000000", "API_AUTH_NAME": "name",
        "API_AUTH_PASSWORD": "a password of many letters",
      ], in: folder)
  }

  private func app(of server: ServerProcess) async throws -> TutorialApp {
    TutorialApp(
      helper: HTTPHelper(
        apiAuthName: "name", apiAuthPassword: "a password of many letters",
        baseURL: "http://127.0.0.1:\(try await server.port())/api"))
  }

  private func signedIn(_ server: ServerProcess) async throws -> TutorialApp {
    let app = try await app(of: server)
    try await app.makeSignInRequest(email: "jane@example.com", password: "secret12")
    return app
  }

  private func isFull(_ work: () async throws -> Void) async throws -> Bool {
    do {
      try await work()
      return false
    } catch let alert as TutorialApp.Alert {
      #expect(alert.reason == "storage_full")
      return true
    }
  }

  /// Signs up users until there is no room in the log either.
  private func fillLog(_ app: TutorialApp) async throws {
    for number in 0..<2_000 {
      let isFull = try await isFull {
        try await app.makeSignUpRequest(name: "Jo", email: "jo\(number)@example.com", password: "secret12")
      }
      if isFull { return }
    }
    Issue.record("the disk is never full")
  }

  @Test func `photos are deleted and users sign out, while others are refused until there is room`() async throws {
    let server = try start()
    try await app(of: server).makeSignUpRequest(name: "Jane", email: "jane@example.com", password: "secret12")
    let (app, other) = (try await signedIn(server), try await signedIn(server))
    var photos: [TutorialApp.Selfie] = []
    for number in 0..<20 {
      photos.append(try await app.postBtnTapped(image: PNG.random(width: 20, height: 20), title: "\(number)"))
    }
    try disk.fill()
    try await fillLog(app)

    try await other.clearLoggedinFlagInUserDefaultsAndSignOut()
    for photo in photos.dropLast() { try await app.deleteSelfie(photo.id) }
    #expect(try await app.loadSelfieData() == photos.suffix(1))
    // What the reserve has left belongs to deletions.
    #expect(
      try await isFull { try await app.makeSignInRequest(email: "jane@example.com", password: "secret12") })
    #expect(
      try await isFull { _ = try await app.postBtnTapped(image: PNG.random(width: 9, height: 9), title: "x") })
    try await app.deleteSelfie(photos[19].id)

    disk.makeRoom()
    let photo = try await app.postBtnTapped(image: PNG.random(width: 9, height: 9), title: "again")
    #expect(try await app.loadSelfieData() == [photo])
    await server.stop()
  }

  @Test func `a server starts on a full disk, and lets photos be deleted`() async throws {
    let first = try start()
    try await app(of: first).makeSignUpRequest(name: "Jane", email: "jane@example.com", password: "secret12")
    let before = try await signedIn(first)
    let photo = try await before.postBtnTapped(image: PNG.random(width: 20, height: 20), title: "one")
    await first.stop()
    try disk.fill()

    let second = try start()
    let app = try await app(of: second)
    app.helper.keychain["Auth_Token"] = before.helper.keychain["Auth_Token"]
    try await app.deleteSelfie(photo.id)
    #expect(try await app.loadSelfieData() == [])
    disk.makeRoom()
    await second.stop()
  }
}
