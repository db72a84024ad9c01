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
  /// Asks the owner before much is taken away, and throws unless the owner agrees.
  let confirm: (_ question: String) throws -> Void
  /// Keeps rows of a table, each as a JSON object, before they are deleted, and returns where.
  let keep: (_ table: String, _ rows: [String]) throws -> String

  /// Checks everything but the photos.
  func run() async {
    await findings.attempt(checkUsers)
    await findings.attempt(checkNotes)
    await findings.attempt(checkSessions)
    await findings.attempt(checkMicroblog)
  }

  /// Reports how many users' photos or notes have a wrong recorded number or size.
  func addWrongSums(_ count: Int64, of kind: String, isRepaired: Bool) {
    guard count > 0 else { return }
    findings.add(
      .wrongByteCount, name,
      "the \(kind) of \(counted(count, "user")) or their bytes are counted wrongly, as after rows were restored",
      isRepaired: isRepaired, "; corrected", orElse: ". --repair corrects it.")
  }

  private func addInvalid(_ message: String) { findings.add(.invalidRow, name, message) }

  /// Looks for addresses that are easily confused, and for passwords that cannot be checked.
  private func checkUsers() async throws {
    for emails in try await database.all(UserStore.similarEmails, as: SimilarEmails.self) {
      findings.remark("\(emails)")
    }
    // To Swift, texts are equal that look the same. Their bytes differ, or they would be one account's.
    var seen: Set<String> = []
    try await database.forEachPage({ UserStore.page(after: $0) }, id: \.id) { (page: [User]) in
      for problem in page.compactMap(\.passwordProblem) { addInvalid(problem) }
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
        if entry.storedBytes != note.byteCount {
          findings.remark("\(name) is not UTF-8, so apps show some of its characters as \u{fffd}. It is left as it is.")
        }
        guard entry.byteCount != entry.storedBytes else { continue }
        if repairs { try await database.repair(about: .user(note.userID)) { try $0.correctByteCount(of: entry) } }
        findings.add(
          .wrongByteCount, self.name,
          "\(name) is counted as \(counted(entry.byteCount, "byte")), but has \(entry.storedBytes)",
          isRepaired: repairs,
          "; corrected", orElse: ". --repair corrects it.")
      }
    }
  }

  /// Checks that a cookie can open each session of Microblog.
  private func checkSessions() async throws {
    let unusable = try await database.all(MicroblogSessionStore.unusable, as: MicroblogSession.self)
    guard !unusable.isEmpty else { return }
    var place = ""
    if repairs {
      let total = Int(try await database.number(MicroblogSessionStore.count))
      if StorageSurvey.isMany(unusable.count, of: total) {
        try confirm(
          "No cookie can open \(unusable.count) of \(total) sessions of Microblog. Take them out of the database? They are "
            + "kept in \(StorageLayout.lostAndFound).")
      }
      place = try keep("microblog_sessions", unusable.map(\.json))
      try await database.repair(about: .all) { tx in
        for session in unusable { try tx.deleteSession(session.digest) }
      }
    }
    findings.add(
      .unusableSession, name, "\(counted(unusable.count, "session")) of Microblog that no cookie can open",
      isRepaired: repairs, "; moved to \(place)", orElse: ". --repair takes such sessions out of the database.")
  }

  /// Checks that the users of Microblog can log in, and that every post is one that a client can have sent.
  private func checkMicroblog() async throws {
    try await database.forEachPage({ MicroblogUserStore.page(after: $0) }, id: \.id) { (page: [MicroblogUser]) in
      for user in page {
        if let problem = MicroblogUser.problem(name: user.name) {
          addInvalid("user \(user.id) of Microblog: \(problem) Change the name, or restore a backup.")
        }
        guard let problem = PasswordHash.problem(of: user.passwordHash) else { continue }
        addInvalid("user \(user.id) of Microblog: the password \(problem), so no log-in works. Restore a backup.")
      }
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
        if photo.id < 1 {
          addInvalid(
            "photo \(photo.randomID): its id is \(photo.id), so no list shows it. Correct it, or delete its row.")
        }
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
        case .impossible:
          addInvalid(
            "photo \(photo.id): its random_id is not \(Photo.idLength) letters, so nobody can see it. Correct it, or "
              + "delete its row.")
        }
      }
      try await finish(lost, digested, dropsMissing)
    }
  }

  private func finish(_ lost: [String], _ digested: [Photo], _ dropsMissing: Bool) async throws {
    var dropped: [String] = []
    var place = ""
    if dropsMissing, !lost.isEmpty {
      var rows: [String] = []
      for id in lost { rows += try await database.all(PhotoStore.json(randomID: id), as: String.self) }
      place = try keep("photos", rows)
      dropped = lost
    }
    if !digested.isEmpty || !dropped.isEmpty {
      try await database.repair(about: .all) { [dropped] tx in
        try tx.removePhotos(dropped)
        try tx.setDigests(of: digested)
      }
    }
    for id in lost {
      findings.add(
        .missingFile, bytes.subject(id), "the file of a photo ", isRepaired: !dropped.isEmpty,
        "was missing; its row is moved to \(place)", orElse: bytes.messageOnMissing)
    }
  }
}
