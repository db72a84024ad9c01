import Platform
import SQL
import SelfieAPI

extension ClusterCheck {
  // MARK: - What PostgreSQL itself looks after, unless its triggers are disabled

  /// Checks that every row belongs to a user.
  func checkOwners(_ counts: inout CheckCounts) async throws {
    for table in OwnedTable.all {
      var count: Int64 = 0
      try await forEachRange(of: table) { count += try await number(table.rowsWithoutUser($0)) }
      guard count > 0 else { continue }
      found(
        .foreignKey, Self.databaseName,
        "\(counted(count, "row")) of \(table.name) without a user. Delete what nobody has, or restore a dump of "
          + "everything.", &counts)
    }
  }

  /// Checks that the photos of every user count for the bytes that they have.
  func checkSums(_ counts: inout CheckCounts) async throws {
    var (wrong, left) = (0, 0)
    try await forEachRange(of: .photos) { ids in
      let users = try await usersWithWrongSums(ids)
      wrong += users.count
      guard library != nil, !users.isEmpty else { return left += users.count }
      for user in users { try await PhotoStore.correctSum(of: user, in: database) }
      left += try await usersWithWrongSums(ids).count
    }
    guard wrong > 0 else { return }
    let isRepaired = left == 0
    found(
      .wrongByteCount, Self.databaseName,
      "the photos of \(counted(wrong, "user")) count for another number of bytes than they have, as after a restore "
        + "whose triggers counted again\(isRepaired ? "; corrected" : ". --repair corrects it.")",
      isRepaired: isRepaired, &counts)
  }

  private func usersWithWrongSums(_ ids: ClosedRange<Int64>) async throws -> [Int64] {
    try await database.all(OwnedTable.wrongSums(of: ids), as: NumberRow.self).map(\.value)
  }

  /// Calls `body` with ranges of ids that have a bounded number of users, and are all ids together.
  private func forEachRange(
    of table: OwnedTable, _ body: (_ userIDs: ClosedRange<Int64>) async throws -> Void
  ) async throws {
    var first = Int64.min
    while true {
      let last = try await number(table.lastUser(first))
      // Behind the last user there are only rows without one.
      guard last >= first, last < .max else { return try await body(first...(.max)) }
      try await body(first...last)
      first = last + 1
    }
  }

  // MARK: - The Notes and the Microblog app

  /// Checks that every note is one that a client can have stored, and counts for the bytes that it has.
  func checkNotes(_ counts: inout CheckCounts) async throws {
    var last = Int64.min
    while case let page = try await database.all(NoteStore.page(after: last), as: CountedNote.self),
      let newest = page.last
    {
      for entry in page {
        counts.notes += 1
        if let finding = entry.note.finding { foundRow(finding, &counts) }
        guard !entry.countsForItsBytes else { continue }
        let isRepaired = library != nil
        if isRepaired {
          try await database.write(about: .user(entry.note.userID)) { try $0.correctByteCount(of: entry.note) }
        }
        found(
          .wrongByteCount, Self.databaseName, entry.finding(isRepaired: isRepaired), isRepaired: isRepaired, &counts)
      }
      last = newest.note.id
    }
  }

  /// Checks that the users of Microblog can log in, that their sessions can be used, and that every post is one that a
  /// client can have sent.
  func checkMicroblog(_ counts: inout CheckCounts) async throws {
    var last = Int64.min
    while case let page = try await database.all(MicroblogUserStore.page(after: last), as: MicroblogUser.self),
      let newest = page.last
    {
      for finding in page.flatMap(\.findings) { foundRow(finding, &counts) }
      last = newest.id
    }
    let unusable = try await number(MicroblogSessionStore.countOfUnusable)
    if unusable > 0 {
      let isRepaired = library != nil
      if isRepaired {
        try await database.write(about: .all) { try $0.run(MicroblogSessionStore.removalOfUnusable) }
      }
      found(
        .unusableSession, Self.databaseName, MicroblogSession.finding(ofUnusable: unusable, isRepaired: isRepaired),
        isRepaired: isRepaired, &counts)
    }
    try await checkPosts(&counts)
  }

  private func checkPosts(_ counts: inout CheckCounts) async throws {
    var last = Int64.min
    while case let page = try await database.all(BlogpostStore.page(after: last), as: Blogpost.self),
      let newest = page.last
    {
      for post in page {
        counts.blogposts += 1
        if let finding = post.finding { foundRow(finding, &counts) }
      }
      last = newest.id
    }
  }

  private func foundRow(_ message: String, _ counts: inout CheckCounts) {
    found(.invalidRow, Self.databaseName, message, &counts)
  }
}
