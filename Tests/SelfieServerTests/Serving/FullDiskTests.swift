import Foundation
import TestSupport
import Testing

/// On a disk without a single free block, users can still make room and sign out.
@Suite(.timeLimit(.minutes(10)), .enabled(if: SmallDisk.isPossible)) struct FullDiskTests {
  private let disk: SmallDisk

  init() throws {
    disk = try SmallDisk(megabytes: 32)
  }

  private func start(on disk: SmallDisk? = nil) throws -> ServerProcess {
    try ServerProcess(
      environment: [
        "STORAGE_DIR": (disk ?? self.disk).path, "MAX_PHOTO_BYTES": "1000000", "API_AUTH_NAME": "name",
        "API_AUTH_PASSWORD": "a password of many letters",
      ])
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
        try await app.makeSignUpRequest(email: "jo\(number)@example.com")
      }
      if isFull { return }
    }
    Issue.record("the disk is never full")
  }

  @Test func `photos are deleted and users sign out, while others are refused until there is room`() async throws {
    let server = try start()
    let (app, other) = (try await server.appOfNewUser(), try await server.app())
    try await other.makeSignInRequest()
    var photos: [TutorialApp.Selfie] = []
    for _ in 0..<20 { photos.append(try await app.postBtnTapped(image: PNG.random(1_200))) }
    try disk.fill()
    try await fillLog(app)

    try await other.clearLoggedinFlagInUserDefaultsAndSignOut()
    for photo in photos.dropLast() { try await app.deleteSelfie(photo.id) }
    #expect(try await app.loadSelfieData() == photos.suffix(1))
    // The rest of the reserve belongs to deletions.
    #expect(try await isFull { try await app.makeSignInRequest() })
    #expect(try await isFull { try await app.postBtnTapped() })
    try await app.deleteSelfie(photos[19].id)

    disk.makeRoom()
    let photo = try await app.postBtnTapped()
    #expect(try await app.loadSelfieData() == [photo])
    await server.stop()
  }

  @Test func `a server starts on a full disk, and lets photos be deleted`() async throws {
    let first = try start()
    let before = try await first.appOfNewUser()
    let photo = try await before.postBtnTapped()
    await first.stop()
    try disk.fill()

    let second = try start()
    let app = try await second.app(token: before.token)
    try await app.deleteSelfie(photo.id)
    #expect(try await app.loadSelfieData() == [])
    disk.makeRoom()
    await second.stop()
  }

  @Test func `a file system without inodes is named, and its server starts again`() async throws {
    let disk = try SmallDisk(megabytes: 300, files: 60)
    let first = try start(on: disk)
    let app = try await first.appOfNewUser()
    var count = 0
    while try await !isFull({ try await app.postBtnTapped() }) { count += 1 }
    let words = "The file system has no inodes left for more files (df -i)."
    #expect(try await first.response(to: "GET /readyz").text.contains(words))
    let environment = ["STORAGE_DIR": disk.path]
    let status = try await ServerProcess.run(["status"], environment: environment, status: 1)
    #expect(status.output.contains { $0.contains(words) }, "\(status)")
    let doctor = try await ServerProcess.run(["doctor"], environment: environment, status: 1)
    #expect(doctor.output.contains { $0.contains(words) }, "\(doctor)")
    await first.stop()

    let second = try start(on: disk)
    let list = try await second.app(token: app.token).loadSelfieData()
    #expect(list.count == count)
    await second.stop()
  }

  @Test func `with one inode left, it is not ready for an upload, which needs two`() async throws {
    let disk = try SmallDisk(megabytes: 300, files: 200)
    let server = try start(on: disk)
    _ = try await server.appOfNewUser()
    func response() async throws -> (status: String, text: String) {
      let response = try await server.response(to: "GET /readyz")
      return (response.statusLine, response.text)
    }
    #expect(try await response().status == "HTTP/1.1 200 OK")
    try disk.leave(files: 1)
    // A result is used for a second.
    while try await response().status == "HTTP/1.1 200 OK" { try await Task.sleep(for: .milliseconds(50)) }
    #expect(try await response().text.contains("The file system has no inodes left for more files (df -i)."))
    await server.stop()
  }

  @Test func `a read-only storage is named with the setting of systemd`() async throws {
    try disk.makeReadOnly()
    try await ServerProcess.run(
      environment: ["STORAGE_DIR": disk.path], status: 1,
      saying: "\(disk.path) cannot be written to: Read-only file system. Under systemd, add it to ReadWritePaths=.")
  }
}
