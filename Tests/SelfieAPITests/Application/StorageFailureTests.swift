import APITestSupport
import Glibc
import HTTPMessages
import Platform
import SQL
import TestSupport
import Testing

@testable import SQLite
@testable import SelfieAPI

/// What clients and the owner are told, and what is left, when the storage does not do what it should.
@Suite struct StorageFailureTests {
  private static let fullMessage =
    "The server's disk is full. Its owner must make room before anything can be stored."

  private func expectFull(_ response: Response) {
    #expect(response.status == .insufficientStorage)
    #expect(response.message == Self.fullMessage)
    #expect(response.fields["X-Error"] == "storage_full")
  }

  private func expectFailing(_ response: Response, _ api: APIFixture, cause: String) throws {
    let id = try #require(response.fields["X-Request-Id"])
    #expect(response.status == .internalServerError)
    #expect(
      response.message == """
        The server cannot use its storage\(cause). Its owner must check the disk; the server's log has the details \
        under the request id \(id).
        """)
    #expect(response.fields["X-Error"] == "storage_failing")
    #expect(api.log.lines.contains { $0.hasPrefix("error the storage cannot be used") && $0.contains(id) })
  }

  private func upload(_ api: APIFixture, _ token: String, title: String = "t") async -> Response {
    await api.upload(title: title, token: token)
  }

  /// Uploads until it is refused.
  private func fill(_ api: APIFixture, _ token: String) async -> Response {
    for _ in 0..<200 {
      let response = await upload(api, token, title: String(repeating: "é", count: 255))
      if response.status != .ok { return response }
    }
    return await upload(api, token)
  }

  @Test func `the list of users is read where nothing can be written, and the use of the session is not recorded`()
    async throws
  {
    let api = try APIFixture()
    let client = MicroblogTests.Client(api)
    _ = await client.register()
    _ = await client.login()
    try await api.database.write { connection in
      try connection.execute(
        "CREATE TRIGGER full BEFORE UPDATE ON microblog_sessions BEGIN SELECT RAISE(ROLLBACK, 'full'); END")
    }
    api.clock.advance(seconds: 2 * 3_600)
    #expect(await client.send("GET", "/users").status == .ok)
    #expect(api.log.lines.contains { $0.hasPrefix("warning the use of a session was not recorded") })
  }

  @Test func `a full database is a 507, keeps rows and files together, and recovers`() async throws {
    let (api, token) = try await APIFixture.withUser()
    // No less than what it has already.
    try await api.database.write { try $0.execute("PRAGMA max_page_count = 1") }
    expectFull(await fill(api, token))
    let rows = try api.count("SELECT count(*) FROM photos")
    #expect(rows > 0)
    #expect(try api.folder.files(in: "photos").count == Int(rows))
    #expect(api.log.lines.contains { $0.hasPrefix("error the disk is full") })
    #expect(await api.get("/api/get_photos", as: .holder(of: token)).elements.count == Int(rows))

    try await api.database.write { try $0.execute("PRAGMA max_page_count = 100000") }
    _ = try await api.newPhoto(token: token)
    api.finishFiling()
    #expect(try api.folder.files(in: "photos").count == Int(rows) + 1)
    #expect(try api.folder.files(in: "incoming") == [])
  }

  @Test func `names a lock, a quota and a limit of the size of files by what they are`() {
    let busy = StorageFailure(SQLiteError(code: 5))
    #expect(busy.kind == .locked && busy.message.hasPrefix("Another program has locked the database."))
    let response = busy.response(requestID: "id")
    #expect(response.status == .serviceUnavailable && response.reason == .storageFailing && response.retryAfter == 5)
    for (number, word) in [(EDQUOT, "quota"), (EFBIG, "ulimit -f")] {
      // SQLITE_IOERR_WRITE
      let failure = StorageFailure(SQLiteError(code: 10 | 3 << 8, systemNumber: number))
      #expect(failure.kind == .full && failure.message.contains(word), "\(failure.message)")
      #expect(StorageFailure(FileError("write", "x", number: number)).message == failure.message)
    }
  }

  @Test(arguments: ["incoming", "photos"])
  func `a folder that is none is the owner's to put right`(_ folder: String) async throws {
    let (api, token) = try await APIFixture.withUser()
    try api.folder.replaceByFile(folder)
    try expectFailing(await upload(api, token), api, cause: " (Not a directory)")
    try api.folder.remove(folder)
    #expect(await upload(api, token).status == .ok)
  }

  @Test(arguments: [["incoming"], ["photos"], ["incoming", "photos"]])
  func `folders that were removed are made again`(_ folders: [String]) async throws {
    let (api, token) = try await APIFixture.withUser()
    let lost = try await api.newPhoto(token: token)
    // In one step: the upload that was just answered may still remove its name in `incoming`.
    for folder in folders { try api.folder.move(folder, to: "removed \(folder)") }
    let id = try await api.newPhoto(Samples.bytes(600_000), token: token)
    #expect(await api.get("/photos/\(id)").content == Samples.bytes(600_000))
    #expect(await api.get("/photos/\(lost)").status == (folders.contains("photos") ? .notFound : .ok))
    #expect(await api.get("/api/get_photos", as: .holder(of: token)).elements.count == 2)
  }

  @Test func `a database that may not be written is a 500, and so is a damaged one`() async throws {
    let (api, token) = try await APIFixture.withUser()
    try await api.database.write { try $0.execute("PRAGMA query_only = ON") }
    try expectFailing(await upload(api, token), api, cause: "")
    #expect(try api.folder.files(in: "photos") + api.folder.files(in: "incoming") == [])
    #expect(await api.get("/readyz").message?.hasPrefix("The storage is read-only.") == true)

    let next = try APIFixture(after: api)
    var bytes = try next.folder.bytes(of: "selfie.sqlite3")
    for index in bytes.indices.dropFirst(4096) { bytes[index] = 0xFF }
    try next.folder.overwrite(bytes, "selfie.sqlite3")
    let damaged = await upload(next, token)
    #expect(damaged.status == .internalServerError && damaged.fields["X-Error"] == "storage_failing")
    #expect(damaged.message?.hasPrefix("The server's database is damaged.") == true)
    #expect(next.log.lines.contains { $0.hasPrefix("error the database is damaged. Look at it with") })
    #expect(try next.folder.files(in: "photos") + next.folder.files(in: "incoming") == [])
  }

  @Test(
    arguments: [
      (FileError("write", "/secret", number: ENOSPC), "The disk is full"),
      (FileError("write", "/secret", number: EDQUOT), "The quota of the server's user on the disk is used up"),
      (FileError("write", "/secret", number: EFBIG), "A file has reached the limit of the size of files"),
      (FileError("open", "/secret", number: EROFS), "The storage is read-only"),
      (FileError("open", "/secret", number: EACCES), "The server may not write to its storage"),
      (FileError("mkdir", "/secret", number: ENOENT), "The storage folder is missing"),
      (FileError("fsync", "/secret", number: EIO), "The server cannot use its storage (Input/output error)"),
      (QueueFull(), "The server is busy"),
      (DatabaseError.closed, "The server is stopping"), (DatabaseError.moved, "The database's file was moved"),
      (CancellationError(), "The storage failed"),
    ] as [(any Error, String)])
  func `each failure has words for the owner`(_ error: any Error, _ words: String) {
    let problem = StorageFailure(error)
    #expect(problem.message.hasPrefix(words))
    #expect(!problem.message.contains("secret"))
    #expect(problem.detail == "\(error)")
  }

  @Test(
    arguments: [
      (SharedDatabaseError(.away, "no connection"), 503, "database_away", 5),
      (SharedDatabaseError(.outcomeUnknown, "lost"), 503, "outcome_unknown", 5),
      (SharedDatabaseError(.timeout, "slow"), 503, "busy", 1),
      (SharedDatabaseError(.conflict, "locked"), 503, "busy", 1),
      (SharedDatabaseError(.full, "no space left"), 507, "storage_full", nil),
      (SharedDatabaseError(.bug, "syntax error"), 500, nil, nil),
      (SharedDatabaseError(.bug, sqlState: "23505", "twice"), 500, nil, nil),
      (SharedDatabaseError(.nulInText, "a text with a NUL"), 400, nil, nil),
      (PhotoObjectsError(.away, "no connection"), 503, "storage_away", 5),
      (PhotoObjectsError(.full, "quota"), 507, "storage_full", nil),
      (PhotoObjectsError(.unexpected, "forbidden"), 500, nil, nil),
    ] as [(any Error, Int, String?, Int?)])
  func `what servers share fails with a status that says what to do`(
    _ error: any Error, _ status: Int, _ reason: String?, _ retryAfter: Int?
  ) throws {
    let api = try APIFixture()
    let response = api.application.response(to: error, of: Request("GET", "/"))
    #expect(response.status.code == status)
    #expect(response.fields["X-Error"] == reason)
    #expect(response.fields["Retry-After"].flatMap { Int($0) } == retryAfter)
    #expect(response.message?.contains("\(error)") == false)
    // Only what is not busy for long is worth the wait of a second.
    #expect(APIError.asksForPatience(error) == (reason == "busy"))
    let isLogged = api.log.lines.contains { $0.hasPrefix("error ") && $0.contains("\(error)") }
    #expect(isLogged == (status >= 500 && reason != "busy"))
  }
}

extension TemporaryFolder {
  /// Writes into the file that is there, which others may have open.
  fileprivate func overwrite(_ bytes: [UInt8], _ file: String) throws {
    let descriptor = open("\(path)/\(file)", O_WRONLY)
    defer { close(descriptor) }
    try #require(pwrite(descriptor, bytes, bytes.count, 0) == bytes.count)
  }
}
