import Platform
import SQL
import SelfieAPI

/// Checks what the servers of a cluster share. They may run meanwhile. Unless it is told to repair, it changes nothing.
/// Objects that no row knows are not found: a check does not list the bucket, which may have other things too.
public struct ClusterCheck: Sendable {
  /// Servers try every ten minutes to delete the objects of deleted photos.
  private static let overdueAge: Int64 = 3_600_000
  static let databaseName = "the database"

  let database: ApplicationDatabase
  let objects: any PhotoObjects
  /// Nil if nothing is repaired.
  let library: PhotoLibrary?
  let readsPhotos: Bool
  private let migrations: Migrations
  private let sweepAfter: Int64
  private let report: @Sendable (StorageCheck.Event) -> Void

  /// - Parameters:
  ///   - migrations: the steps of PostgreSQL's schema.
  ///   - readsPhotos: whether every photo is read, and its digest compared.
  ///   - library: of the same database and objects, to repair what can be repaired; nil to change nothing.
  ///   - sweepAfter: after how many seconds servers remove what an upload left unfinished.
  package init(
    database: any SharedDatabase, objects: any PhotoObjects, migrations: Migrations, readsPhotos: Bool,
    repairsBy library: PhotoLibrary? = nil, sweepAfter: Int64, report: @escaping @Sendable (StorageCheck.Event) -> Void
  ) {
    self.database = .shared(database)
    self.objects = objects
    self.library = library
    self.migrations = migrations
    self.readsPhotos = readsPhotos
    self.sweepAfter = sweepAfter
    self.report = report
  }

  /// Checks everything once.
  public func run() async -> CheckCounts {
    var counts = CheckCounts()
    await attempt(&counts, checkDurability)
    var isCurrent = false
    await attempt(&counts) { counts in isCurrent = try await checkSchema(&counts) }
    guard isCurrent else { return counts }
    await attempt(&counts, checkLeftovers)
    await attempt(&counts, checkOwners)
    await attempt(&counts, checkSums)
    await attempt(&counts, checkPhotos)
    await attempt(&counts, checkEmails)
    await attempt(&counts, checkNotes)
    await attempt(&counts, checkMicroblog)
    return counts
  }

  // MARK: - The database

  private func checkDurability(_ counts: inout CheckCounts) async throws {
    for setting in try await database.all(ClusterQueries.durability, as: TextPair.self) where setting.second == "off" {
      found(
        .unsafeSetting, Self.databaseName,
        "it has \(setting.first) = off: a crash of its machine may lose what clients know to be stored. Turn it on.",
        &counts)
    }
  }

  /// Whether the database has the schema that the other checks need.
  private func checkSchema(_ counts: inout CheckCounts) async throws -> Bool {
    let recorded = try await database.all(ClusterQueries.migrations, as: TextPair.self)
    do {
      let pending = try migrations.pending(after: recorded.map { (name: $0.first, sha256: $0.second) })
      if pending.isEmpty { return true }
      let names = pending.map(\.name).joined(separator: ", ")
      found(
        .schema, Self.databaseName,
        "it has not had \(names), so its photos were not looked at. The next start of a server runs that.", &counts)
    } catch {
      found(.schema, Self.databaseName, "\(error). Its photos were not looked at.", &counts)
    }
    return false
  }

  /// Looks for addresses that are easily confused.
  private func checkEmails(_ counts: inout CheckCounts) async throws {
    for emails in try await database.all(UserStore.similarEmails, as: SimilarEmails.self) {
      report(.remark("\(emails)".printable))
    }
  }

  // MARK: - What was not finished

  private func checkLeftovers(_ counts: inout CheckCounts) async throws {
    // Servers look every ten minutes, so that an upload may be older than that by as much.
    let uploads = ClusterQueries.uploads(olderThan: sweepAfter * 1000 + Self.overdueAge)
    let unfinished = try await number(uploads)
    let removed = try await number(ClusterQueries.removedPhotos(notTriedFor: Self.overdueAge))
    guard unfinished > 0 || removed > 0 else { return }
    var isRepaired = false
    if let library {
      try await library.purgeDeleted()
      // What could not be deleted has been tried just now.
      let failed = try await number(ClusterQueries.removedPhotos(notTriedFor: 0))
      isRepaired = try await number(uploads) == 0 && failed == 0
    }
    let end = isRepaired ? "; this is done" : ". Start one, or give --repair; the log says why if it cannot."
    if unfinished > 0 {
      found(
        .staleUpload, Self.databaseName,
        "no server has removed what is left of \(counted(unfinished, "unfinished upload"))\(end)",
        isRepaired: isRepaired, &counts)
    }
    if removed > 0 {
      found(
        .removalPending, Self.databaseName,
        "no server has tried for an hour to delete \(counted(removed, "object")) of deleted photos\(end)",
        isRepaired: isRepaired, &counts)
    }
  }

  // MARK: - What the checks say

  func number(_ query: Query) async throws -> Int64 {
    try await database.first(query, as: NumberRow.self)?.value ?? 0
  }

  func found(
    _ kind: StorageIssue.Kind, _ subject: String, _ message: String, isRepaired: Bool = false,
    _ counts: inout CheckCounts
  ) {
    counts.findings += 1
    if isRepaired { counts.repaired += 1 }
    report(
      .issue(StorageIssue(kind: kind, subject: subject, message: message.printable, isRepaired: isRepaired)))
  }

  /// Runs a check, and reports its error instead of throwing it, so that the other checks run too.
  private func attempt(
    _ counts: inout CheckCounts, _ check: (inout CheckCounts) async throws -> Void
  ) async {
    do {
      try await check(&counts)
    } catch {
      counts.failures += 1
      report(.failure("\(error)".printable))
    }
  }
}
