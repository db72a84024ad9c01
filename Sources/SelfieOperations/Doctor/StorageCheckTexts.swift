import SQLite
import SelfieAPI

// Users, and the tables of the Notes and the Microblog app.
extension StorageCheck {
  /// Looks for addresses that are easily confused.
  func checkEmails(_ connection: Connection) throws {
    for emails in try connection.query(UserStore.similarEmails, row: { SimilarEmails($0, from: 0) }) {
      remark("\(emails)")
    }
  }

  /// Checks that every note is one that a client can have stored, and counts for the bytes that it has.
  func checkNotes(_ connection: Connection) throws {
    var last: Int64 = 0
    while case let page = try NoteStore.page(after: last, on: connection), let newest = page.last {
      for entry in page {
        counts.notes += 1
        if let problem = entry.note.finding { foundRow(problem) }
        guard !entry.countsForItsBytes else { continue }
        if options.repairs {
          try connection.transaction { try connection.correctByteCount(of: entry.note) }
        }
        found(
          .wrongByteCount, StorageLayout.database, entry.finding(isRepaired: options.repairs),
          isRepaired: options.repairs)
      }
      last = newest.note.id
    }
  }

  /// Checks that the users of Microblog can log in, that their sessions can be used, and that every post is one that a
  /// client can have sent.
  func checkMicroblog(_ connection: Connection) throws {
    try checkMicroblogUsers(connection)
    let unusable = try connection.first(MicroblogSessionStore.countOfUnusable) { $0.integer(0) } ?? 0
    if unusable > 0 {
      if options.repairs { try connection.transaction { try connection.run(MicroblogSessionStore.removalOfUnusable) } }
      found(
        .unusableSession, StorageLayout.database,
        MicroblogSession.finding(ofUnusable: unusable, isRepaired: options.repairs), isRepaired: options.repairs)
    }
    var last: Int64 = 0
    while case let page = try BlogpostStore.page(after: last, on: connection), let newest = page.last {
      for post in page {
        counts.blogposts += 1
        if let finding = post.finding { foundRow(finding) }
      }
      last = newest.id
    }
  }

  private func checkMicroblogUsers(_ connection: Connection) throws {
    var last: Int64 = 0
    while case let page = try MicroblogUserStore.page(after: last, on: connection), let newest = page.last {
      for finding in page.flatMap(\.findings) { foundRow(finding) }
      last = newest.id
    }
  }

  private func foundRow(_ message: String) {
    found(.invalidRow, StorageLayout.database, message)
  }
}
