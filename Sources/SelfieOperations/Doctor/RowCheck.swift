import Cryptography
import Platform
import SQL
import SQLite
import SelfieAPI

/// Checks the rows that are the same in a folder's database and in a cluster's: of users and photos, and of the Notes
/// and the Microblog app. `CheckedBytes` compares photos' bytes.
struct RowCheck {
  let database: any CheckedDatabase
  /// The name of the database in findings.
  let name: String
  let bytes: any CheckedBytes
  /// Whether every photo is read, and its digest compared.
  let readsPhotos: Bool
  let repairs: Bool
  let findings: Findings

  /// Checks everything but the photos.
  func run() async {
    await findings.attempt(checkEmails)
    await findings.attempt(checkNotes)
    await findings.attempt(checkMicroblog)
  }

  /// Reports how many users' photos have a wrong recorded number or size.
  func addWrongSums(_ count: Int64, isRepaired: Bool) {
    guard count > 0 else { return }
    findings.add(
      .wrongByteCount, name,
      "the photos of \(counted(count, "user")) or their bytes are counted wrongly, as after rows were restored",
      isRepaired: isRepaired, "; corrected", orElse: ". --repair corrects it.")
  }

  private func addInvalid(_ message: String) { findings.add(.invalidRow, name, message) }

  /// Looks for addresses that are easily confused.
  private func checkEmails() async throws {
    for emails in try await database.all(UserStore.similarEmails, as: SimilarEmails.self) {
      findings.remark("\(emails)")
    }
    // To Swift, texts are equal that look the same. Their bytes differ, or they would be one account's.
    var seen: Set<String> = []
    try await database.forEachPage({ UserStore.page(after: $0) }, id: \.id) { (page: [User]) in
      for email in page.map(\.email)
      where email.utf8.contains(where: { $0 > 0x7f }) && seen.count < 100_000 && !seen.insert(email).inserted {
        findings.remark("2 accounts have addresses that look the same and are encoded differently: \(email)")
      }
    }
  }

  /// Checks that every note is one that a client can have stored, and counts for the bytes that it has.
  private func checkNotes() async throws {
    try await database.forEachPage({ NoteStore.page(after: $0) }, id: \.note.id) { (page: [CountedNote]) in
      findings.count { $0.notes += page.count }
      for entry in page {
        let (note, name) = (entry.note, "note \(entry.note.id) of user \(entry.note.userID)")
        if let problem = Note.problem(title: note.title, body: note.body) {
          addInvalid("\(name): \(problem) Its user can change or delete it in the app.")
        }
        guard entry.byteCount != note.byteCount else { continue }
        if repairs { try await database.repair(about: .user(note.userID)) { try $0.correctByteCount(of: note) } }
        findings.add(
          .wrongByteCount, self.name,
          "\(name) is counted as \(counted(entry.byteCount, "byte")), but has \(note.byteCount)", isRepaired: repairs,
          "; corrected", orElse: ". --repair corrects it.")
      }
    }
  }

  /// Checks that the users of Microblog can log in, that their sessions can be used, and that every post is one that a
  /// client can have sent.
  private func checkMicroblog() async throws {
    try await database.forEachPage({ MicroblogUserStore.page(after: $0) }, id: \.id) { (page: [MicroblogUser]) in
      for user in page {
        if let problem = MicroblogUser.problem(name: user.name) {
          addInvalid("user \(user.id) of Microblog: \(problem) Change the name, or restore a backup.")
        }
        guard !PasswordHash.isHash(user.passwordHash) else { continue }
        addInvalid(
          "user \(user.id) of Microblog: the password is not a bcrypt hash, so no log-in works. Restore a backup.")
      }
    }
    let unusable = try await database.all(MicroblogSessionStore.unusable, as: MicroblogSession.self)
    if !unusable.isEmpty {
      if repairs {
        try await database.repair(about: .all) { tx in
          for session in unusable { try tx.deleteSession(session.digest) }
        }
      }
      findings.add(
        .unusableSession, name, "\(counted(unusable.count, "session")) of Microblog that no cookie can open",
        isRepaired: repairs, "; deleted", orElse: ". --repair deletes such sessions.")
    }
    try await database.forEachPage({ BlogpostStore.page(after: $0) }, id: \.id) { (page: [Blogpost]) in
      findings.count { $0.blogposts += page.count }
      for post in page {
        guard let problem = Blogpost.problem(text: post.text) else { continue }
        addInvalid("post \(post.uuid) of Microblog: \(problem) Delete its row, or restore a backup.")
      }
    }
  }
}

/// A database that a check reads, and repairs if asked to: a connection to a folder's, or a cluster's. `RowCheck` has
/// the rules of its rows.
protocol CheckedDatabase {
  func all<Record: RowRecord>(_ query: Query, as _: Record.Type) async throws -> [Record]

  /// Runs `body` in a transaction.
  func repair(about subject: WriteSubject, _ body: @escaping @Sendable (any Transaction) throws -> Void) async throws
}

extension CheckedDatabase {
  func number(_ query: Query) async throws -> Int64 { try await all(query, as: Int64.self).first ?? 0 }

  /// Reads a table a page at a time. Each page is a read of its own, so that a long check does not keep a server's log
  /// from being checkpointed.
  ///
  /// - Parameters:
  ///   - query: reads the rows after an id, in order, some hundred of them at most.
  ///   - id: the id of a row.
  func forEachPage<Record: RowRecord>(
    _ query: (Int64) -> Query, id: (Record) -> Int64, _ body: ([Record]) async throws -> Void
  ) async throws {
    var last = Int64.min
    while case let page = try await all(query(last), as: Record.self), let newest = page.last {
      try await body(page)
      last = id(newest)
    }
  }
}

extension Connection: CheckedDatabase {
  func repair(about _: WriteSubject, _ body: @escaping @Sendable (any Transaction) throws -> Void) throws {
    try transaction { try body(self) }
  }
}

extension ApplicationDatabase: CheckedDatabase {
  func repair(about subject: WriteSubject, _ body: @escaping @Sendable (any Transaction) throws -> Void) async throws {
    try await write(about: subject, body)
  }
}

/// The state of a photo's bytes. `CheckedBytes` finds it, and `RowCheck` reports it.
enum PhotoCondition: Sendable {
  case missing
  case wrong(StorageIssue.Kind, String)
  /// As many bytes as were uploaded. If they were read, they are those, and have this digest.
  case sound(sha256: [UInt8]?)
  case unreadable(FileError)
}

/// Where the bytes of photos are.
protocol CheckedBytes: Sendable {
  var messageOnMissing: String { get }
  /// The end of messages on other bytes than were uploaded.
  var remedy: String { get }
  var photosAtOnce: Int { get }

  /// The name of a photo in findings.
  func subject(_ id: String) -> String
  /// How many bytes a photo has; nil if there are none.
  ///
  /// - Throws: `FileError.notPlain` for anything that is not a file.
  func byteCount(of photo: Photo) async throws -> Int64?
  /// Reads all bytes of a photo; nil if there are none any more.
  func digest(of photo: Photo) async throws -> [UInt8]?
}

extension CheckedBytes {
  /// - Parameter reads: whether all bytes are read.
  func condition(of photo: Photo, reads: Bool) async throws -> PhotoCondition {
    do {
      guard let byteCount = try await byteCount(of: photo) else { return .missing }
      guard byteCount == photo.byteCount else {
        return .wrong(
          .wrongSize, "it has \(counted(byteCount, "byte")), but \(photo.byteCount) were uploaded. \(remedy)")
      }
      guard reads else { return .sound(sha256: nil) }
      guard let sha256 = try await digest(of: photo) else { return .missing }
      guard photo.sha256 == nil || photo.sha256 == sha256 else {
        return .wrong(.wrongDigest, "its bytes differ from those that were uploaded. \(remedy)")
      }
      return .sound(sha256: sha256)
    } catch let error as FileError where error.number == FileError.notPlain {
      return .wrong(.wrongKind, "it is not a plain file, so it is not served. \(remedy)")
    } catch let error as FileError {
      return .unreadable(error)
    }
  }
}

extension PhotoFiles: CheckedBytes {
  var messageOnMissing: String {
    "the file of a photo is missing. \(remedy) Or stop the server and run "
      + "selfie-server doctor --repair --drop-missing to delete its row."
  }
  var remedy: String { "Put it back from a backup: selfie-server restore --photo." }
  /// Names and sizes are read ahead, and the contents of several files would wait for one disk.
  var photosAtOnce: Int { 1 }

  func subject(_ id: String) -> String { StorageLayout.photo(id) }

  func byteCount(of photo: Photo) throws -> Int64? {
    let status = try status(photo.randomID)
    guard status.map({ $0.kind == .file }) ?? true else { throw FileError("open", "", number: FileError.notPlain) }
    return status?.byteCount
  }

  func digest(of photo: Photo) throws -> [UInt8]? { try digest(of: photo.randomID) }
}

/// The objects of a cluster's photos.
struct CheckedObjects: CheckedBytes {
  let objects: any PhotoObjects

  var messageOnMissing: String { "its object is missing. \(remedy)" }
  var remedy: String { "Put it back from another copy of the bucket." }
  /// Each waits for the store most of the time.
  var photosAtOnce: Int { 8 }

  func subject(_ id: String) -> String { "photo \(id)" }

  func byteCount(of photo: Photo) async throws -> Int64? { try await objects.size(photo.randomID) }

  func digest(of photo: Photo) async throws -> [UInt8]? {
    do {
      return try await objects.digest(of: photo)
    } catch let error as PhotoObjectsError where error.kind == .missing {
      return nil
    }
  }
}

// Compares photos' rows with their bytes.
extension RowCheck {
  /// Checks that the bytes of every photo are there, and are those that were uploaded.
  ///
  /// - Parameter dropsMissing: whether the rows of photos without bytes are deleted.
  func checkPhotos(dropsMissing: Bool = false) async throws {
    let total = Int(try await database.number(PhotoStore.totals))
    var seen = 0
    try await database.forEachPage({ PhotoStore.page(after: $0) }, id: \.id) { (page: [Photo]) in
      let conditions = try await page.mapConcurrently(atOnce: bytes.photosAtOnce) {
        [bytes, readsPhotos, repairs] photo in
        try await bytes.condition(of: photo, reads: readsPhotos || repairs && photo.sha256 == nil)
      } each: { _ in
        seen += 1
        findings.show(Progress("Checking", seen, of: total, "photo"))
      }
      var digested: [Photo] = []
      var lost: [String] = []
      for (var photo, condition) in zip(page, conditions) {
        findings.count { $0.photos += 1 }
        switch condition {
        case .missing:
          // A deletion removes the row first. So a photo that still has a row has lost its bytes.
          let rows = try await database.all(PhotoStore.photo(randomID: photo.randomID), as: Photo.self)
          lost += rows.map(\.randomID)
        case .wrong(let kind, let message):
          if kind == .wrongDigest { findings.count { $0.digests += 1 } }
          findings.add(kind, bytes.subject(photo.randomID), message)
        case .sound(let sha256):
          if sha256 != nil { findings.count { $0.digests += 1 } }
          guard photo.sha256 == nil else { continue }
          photo.sha256 = sha256
          if repairs { digested.append(photo) } else { findings.count { $0.photosWithoutDigest += 1 } }
        case .unreadable(let error): findings.fail(error)
        }
      }
      try await finish(lost, digested, dropsMissing)
    }
  }

  private func finish(_ lost: [String], _ digested: [Photo], _ dropsMissing: Bool) async throws {
    for id in lost {
      let message = dropsMissing ? "the file of a photo was missing; its row is deleted" : bytes.messageOnMissing
      findings.add(.missingFile, bytes.subject(id), message, isRepaired: dropsMissing)
    }
    let dropped = dropsMissing ? lost : []
    guard !digested.isEmpty || !dropped.isEmpty else { return }
    try await database.repair(about: .all) { tx in
      try tx.removePhotos(dropped)
      try tx.setDigests(of: digested)
    }
  }
}
