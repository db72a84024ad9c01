import Platform
import SQL
package import SelfieAPI

/// Checks what the servers of a cluster share. They may run meanwhile. Unless it is told to repair, it changes nothing.
/// Objects that belong to no row are not found: a check does not list the bucket, which may have other things too.
/// `RowCheck` checks the rows that a folder's database has too.
package struct ClusterCheck: Sendable {
  /// Servers try every ten minutes to delete the objects of deleted photos.
  private static let overdueAge: Int64 = 3_600_000
  private static let name = "the database"

  /// Asks the owner before a repair takes away much, and throws unless the owner agrees.
  package var confirm: @Sendable (_ question: String) throws -> Void = { throw OperationError($0) }

  private let cluster: ClusterStorage
  /// This machine's folder, which gets the rows that a repair takes away. The database has backups of its own.
  private let layout: StorageLayout
  /// Nil if nothing is repaired.
  private let repaired: (any PhotoBytes)?
  private let readsPhotos: Bool
  private let findings: Findings
  private var database: ApplicationDatabase { .shared(cluster.database) }

  /// - Parameters:
  ///   - storage: the folder of this machine.
  ///   - readsPhotos: whether every photo is read, and its digest compared.
  ///   - repaired: the photos' bytes of the cluster, to repair what can be repaired; nil to change nothing.
  package init(
    of cluster: ClusterStorage, storage: String, readsPhotos: Bool, repairs repaired: (any PhotoBytes)?,
    report: @escaping @Sendable (CheckEvent) -> Void
  ) {
    self.cluster = cluster
    layout = StorageLayout(folder: storage)
    self.repaired = repaired
    self.readsPhotos = readsPhotos
    findings = Findings(report)
  }

  /// Checks everything once.
  package func run() async -> CheckCounts {
    await findings.attempt(checkDurability)
    await findings.attempt {
      guard try await checkSchema() else { return }
      let rows = RowCheck(
        database: database, name: Self.name, bytes: CheckedObjects(objects: cluster.objects), readsPhotos: readsPhotos,
        repairs: repaired != nil, findings: findings, confirm: confirm
      ) { try LostAndFound(layout).add($1, of: $0) }
      await findings.attempt(checkLeftovers)
      await findings.attempt(checkOwners)
      await findings.attempt {
        try await checkSums(
          of: "photos", rows, wrongSums: UserTable.wrongPhotoSums, correct: PhotoStore.correctSum)
      }
      await findings.attempt {
        try await checkSums(of: "notes", rows, wrongSums: UserTable.wrongNoteSums, correct: NoteStore.correctSum)
      }
      await findings.attempt { try await rows.checkPhotos() }
      await rows.run()
    }
    return findings.counts
  }

  // MARK: - The database

  private func checkDurability() async throws {
    for setting in try await database.all(ClusterQueries.unsafeSettings, as: String.self) {
      findings.add(
        .unsafeSetting, Self.name,
        "it has \(setting) = off: if its machine crashes, acknowledged data may be lost. Turn it on.")
    }
  }

  /// Whether the database has the schema that the other checks need.
  private func checkSchema() async throws -> Bool {
    let recorded = try await database.all(Migrations.recorded, as: Migrations.Recorded.self)
    do {
      let pending = try Migrations.postgreSQL.pending(after: recorded)
      if pending.isEmpty { return true }
      let names = pending.map(\.name).joined(separator: ", ")
      findings.add(
        .schema, Self.name,
        "it still needs \(names), so its photos were not checked. The next start of a server runs that.")
    } catch {
      findings.add(.schema, Self.name, "its photos were not checked: \(error)")
    }
    return false
  }

  /// Looks for what was not finished.
  private func checkLeftovers() async throws {
    // Servers look every ten minutes, so that an upload may be older than that by as much.
    let uploads = ClusterQueries.uploads(olderThan: Int64(cluster.sweepAfter) * 1000 + Self.overdueAge)
    let unfinished = try await database.number(uploads)
    let removals = ClusterQueries.removedPhotos(notTriedFor: Self.overdueAge)
    let removed = try await database.first(removals, as: ClusterQueries.RemovedPhotos.self)?.waiting ?? 0
    guard unfinished > 0 || removed > 0 else { return }
    var isRepaired = false
    if let repaired {
      try await repaired.purge()
      // Those that could not be deleted were tried just now.
      let failed = try await database.first(removals, as: ClusterQueries.RemovedPhotos.self)?.tried ?? 0
      isRepaired = try await database.number(uploads) == 0 && failed == 0
    }
    let end = isRepaired ? "; done now" : ". Start one, or pass --repair; if it fails, the log says why."
    if unfinished > 0 {
      let leftovers = "the leftovers of \(counted(unfinished, "unfinished upload"))"
      findings.add(.staleUpload, Self.name, "no server has removed \(leftovers)\(end)", isRepaired: isRepaired)
    }
    if removed > 0 {
      let objects = "\(counted(removed, "object")) of deleted photos"
      findings.add(
        .removalPending, Self.name, "for an hour, no server has tried to delete \(objects)\(end)",
        isRepaired: isRepaired)
    }
  }

  // MARK: - What PostgreSQL itself looks after, unless its triggers are disabled

  /// Checks that every row belongs to a user.
  private func checkOwners() async throws {
    var counts: [String: Int64] = [:]
    for users in UserTable.allCases {
      try await forEachRange(of: users) { ids in
        for found in try await database.all(users.rowsWithoutUser(ids), as: UserTable.RowsWithoutUser.self) {
          counts[found.table, default: 0] += found.count
        }
      }
    }
    for (table, count) in counts.sorted(by: { $0.key < $1.key }) where count > 0 {
      findings.add(
        .foreignKey, Self.name,
        "\(counted(count, "row")) of \(table) without a user. Delete them, or restore a complete dump.")
    }
  }

  /// Checks the recorded number and size of each user's photos or notes.
  ///
  /// - Parameters:
  ///   - kind: what is counted, for the finding.
  ///   - wrongSums: the users of these ids whose sums are wrong.
  ///   - correct: counts a user's anew.
  private func checkSums(
    of kind: String, _ rows: RowCheck, wrongSums: (_ userIDs: ClosedRange<Int64>) -> Query,
    correct: (_ userID: Int64, ApplicationDatabase) async throws -> Void
  ) async throws {
    var (wrong, left) = (0, 0)
    try await forEachRange(of: .users) { ids in
      let users = try await database.all(wrongSums(ids), as: Int64.self)
      wrong += users.count
      guard repaired != nil, !users.isEmpty else { return left += users.count }
      for user in users { try await correct(user, database) }
      left += try await database.all(wrongSums(ids), as: Int64.self).count
    }
    rows.addWrongSums(Int64(wrong), of: kind, isRepaired: left == 0)
  }

  /// Calls `body` with ranges of ids that have a bounded number of users, and are all ids together.
  private func forEachRange(
    of users: UserTable, _ body: (_ userIDs: ClosedRange<Int64>) async throws -> Void
  ) async throws {
    var after = Int64.min
    while let last = try await database.all(
      users == .users ? UserStore.page(after: after, max: 250) : MicroblogUserStore.page(after: after, max: 250),
      as: Int64.self
    ).last, last < .max {
      try await body(after + 1...last)
      after = last
    }
    // After the last user there are only rows without one.
    try await body(after + 1...(.max))
  }
}
