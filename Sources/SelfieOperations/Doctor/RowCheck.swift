import Cryptography
import Platform
import SQL
import SQLite
import SelfieAPI

/// Checks the rows that are the same in a folder's database and in a cluster's: of users and photos, and of the Notes
/// and the Microblog app. CheckedBytes.swift compares photos' bytes.
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
