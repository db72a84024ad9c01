import APITestSupport
import CSQLite
import Glibc
import HTTPMessages
import TestSupport
import Testing

@testable import SQLite
@testable import SelfieAPI

@Suite struct ReadinessTests {
  private func expectReady(_ api: APIFixture, _ when: Comment? = nil) async {
    let response = await api.get("/readyz")
    #expect(response.status == .ok, when)
    #expect(response.text == #"{"status":"ready"}"#, when)
  }

  /// The message of the response that it must be.
  private func expectNotReady(_ api: APIFixture) async throws -> String {
    let response = await api.get("/readyz")
    #expect(response.status == .serviceUnavailable)
    #expect(response.fields["X-Error"] == "not_ready")
    #expect(response.fields["Retry-After"] == "1")
    #expect(response.fields["Cache-Control"] == "no-cache")
    let message = try #require(response.message)
    #expect(!message.contains(api.folder.path), "where the storage is, is nobody's business")
    return message
  }

  @Test func `is 200 without credentials when a photo and its row could be stored, and leaves nothing`() async throws {
    let api = try APIFixture()
    let commits = api.database.commits.count
    await expectReady(api)
    #expect(api.database.commits.count == commits + 1)
    #expect(try api.folder.names(in: "incoming") + api.folder.names(in: "photos") == [])
    #expect(!api.log.lines.contains { $0.contains("ready") && !$0.hasPrefix("debug") })
    let response = await api.get("/readyz", fields: [("If-None-Match", "*")])
    #expect(response.status == .ok && response.fields["ETag"] == nil && response.fields["Cache-Control"] == "no-cache")
    #expect(await api.application.respond(Request("HEAD", "/readyz")).status == .ok)
  }

  @Test func `tries once a second at most, however often it is asked`() async throws {
    let api = try APIFixture()
    let commits = api.database.commits.count
    for _ in 0..<20 { await expectReady(api) }
    api.clock.advance(milliseconds: 999)
    await expectReady(api)
    #expect(api.database.commits.count == commits + 1)

    api.clock.advance(milliseconds: 1)
    await withTaskGroup { group in
      for _ in 0..<50 { group.addTask { await expectReady(api) } }
    }
    #expect(api.database.commits.count == commits + 2)
  }

  /// Other parts of the file may still be read, so that a probe would succeed.
  @Test func `is 503 once the database was found to be damaged, until the next start`() async throws {
    let api = try APIFixture()
    await expectReady(api)
    #expect(throws: SQLiteError.self) { try api.database.read { _ in throw SQLiteError(code: SQLITE_CORRUPT) } }
    for _ in 0..<2 {
      api.clock.advance(seconds: 1)
      let message = try await expectNotReady(api)
      #expect(message.hasPrefix("The database is damaged.") && message.contains("doctor --salvage"))
    }
    #expect(await api.get("/up").status == .ok)
  }

  @Test func `does not believe for ever what it found before the clock was put back`() async throws {
    let api = try APIFixture()
    await expectReady(api)
    try api.folder.replaceByFile("incoming")
    api.clock.advance(seconds: -3600)
    _ = try await expectNotReady(api)
  }

  @Test(arguments: ["incoming", "photos"])
  func `makes a folder again that was removed, and is 503 while a file is in its place`(_ name: String) async throws {
    let api = try APIFixture()
    try api.folder.remove(name)
    await expectReady(api)
    #expect(try api.folder.names(in: name) == [])
    try api.folder.replaceByFile(name)
    api.clock.advance(seconds: 1)
    let message = try await expectNotReady(api)
    #expect(message.contains("is missing, or something in it that should be a folder is not"))
    try api.folder.remove(name)
    #expect(try await expectNotReady(api) == message, "within the second")
    api.clock.advance(seconds: 1)
    await expectReady(api)
  }

  @Test func `is 503 while the whole storage is gone, and 200 once it is back`() async throws {
    let api = try APIFixture()
    let elsewhere = api.folder.path + ".moved"
    try #require(rename(api.folder.path, elsewhere) == 0)
    #expect(try await expectNotReady(api).contains("The storage folder is missing"))
    try #require(rename(elsewhere, api.folder.path) == 0)
    api.clock.advance(seconds: 1)
    await expectReady(api)
  }

  @Test func `is 503 when there is less room than for the largest photo`() async throws {
    let api = try APIFixture { $0.maxPhotoBytes = 1 << 60 }
    let message = try await expectNotReady(api)
    #expect(message.contains("almost full"))
    #expect(message.contains("MAX_PHOTO_BYTES"))
    #expect(try await api.newPhoto(token: api.newUser()).count == Photo.idLength, "what fits is taken all the same")
  }

  @Test func `is 503 while too much waits for the disk`() async throws {
    let api = try APIFixture()
    let release = Semaphore()
    var count = 0
    while api.application.photos.pool.submit({ release.wait() }) { count += 1 }
    defer { for _ in 0..<count { release.signal() } }
    #expect(try await expectNotReady(api).hasPrefix("The server is busy"))
  }

  @Test func `does not keep everybody waiting for a disk that does not answer`() async throws {
    let api = try APIFixture()
    let (isHeld, release) = (Gate(), Semaphore())
    async let blocker: Void = api.database.write { _ in
      isHeld.open()
      release.wait()
    }
    await isHeld.wait()
    async let first = api.get("/readyz")
    try await waitUntil { api.database.waitingWrites > 0 }
    async let second = api.get("/readyz")
    api.clock.advance(milliseconds: Readiness.timeout)
    #expect(try await expectNotReady(api).hasPrefix("The storage does not respond"))

    release.signal()
    try await blocker
    #expect(await first.status == .ok)
    #expect([.ok, .serviceUnavailable].contains(await second.status))
    await expectReady(api)
  }

  @Test func `logs a change once, with what the response does not say`() async throws {
    let api = try APIFixture()
    func logged() -> [String] { api.log.lines.filter { $0.contains("ready") && !$0.hasPrefix("debug") } }
    func probe(_ status: Status) async {
      for _ in 0..<3 {
        #expect(await api.get("/readyz").status == status)
        api.clock.advance(seconds: 1)
      }
    }
    await probe(.ok)
    #expect(logged() == [])
    try api.folder.replaceByFile("incoming")
    await probe(.serviceUnavailable)
    #expect(logged().count == 1)
    #expect(logged().first?.hasPrefix("warning not ready: ") == true)
    #expect(logged().first?.contains("\(api.folder.path)/incoming") == true)
    try api.folder.remove("incoming")
    await probe(.ok)
    #expect(logged().count == 2)
    #expect(logged().last?.hasPrefix("notice ready again") == true)
  }

  @Test func `what a crash leaves of a probe goes at the next start`() async throws {
    let api = try APIFixture()
    for name in ["incoming", "photos"] { try api.folder.write([0], to: "\(name)/\(PhotoFiles.probeName)") }
    await expectReady(api)
    for name in ["incoming", "photos"] { try api.folder.write([0], to: "\(name)/\(PhotoFiles.probeName)") }
    let next = try APIFixture(after: api)
    #expect(try next.folder.names(in: "incoming") + next.folder.names(in: "photos") == [])
  }
}
