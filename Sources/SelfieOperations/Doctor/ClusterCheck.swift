import Platform
import SQL
import SelfieAPI

/// Checks what the servers of a cluster share. It changes nothing, and they may run meanwhile. Objects that no row knows
/// are not found: a check does not list the bucket, which may have other things too.
public struct ClusterCheck: Sendable {
  /// How many objects are looked at at once.
  static let objectsAtOnce = 8
  /// Servers try every ten minutes to delete the objects of deleted photos.
  private static let overdueAge: Int64 = 3_600_000
  private static let databaseName = "the database"

  let database: ApplicationDatabase
  let objects: PhotoObjects
  private let migrations: Migrations
  private let readsPhotos: Bool
  private let sweepAfter: Int64
  private let report: @Sendable (StorageCheck.Event) -> Void

  /// - Parameters:
  ///   - migrations: the steps of PostgreSQL's schema.
  ///   - readsPhotos: whether every photo is read, and its digest compared.
  ///   - sweepAfter: after how many seconds servers remove what an upload left unfinished.
  package init(
    database: SharedDatabase, objects: PhotoObjects, migrations: Migrations, readsPhotos: Bool, sweepAfter: Int64,
    report: @escaping @Sendable (StorageCheck.Event) -> Void
  ) {
    self.database = .shared(database)
    self.objects = objects
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
    await attempt(&counts, checkSums)
    await attempt(&counts, checkPhotos)
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

  private func checkLeftovers(_ counts: inout CheckCounts) async throws {
    // Servers look every ten minutes, so that an upload may be older than that by as much.
    let uploads = try await number(ClusterQueries.uploads(olderThan: sweepAfter * 1000 + Self.overdueAge))
    if uploads > 0 {
      found(
        .staleUpload, Self.databaseName,
        "\(counted(uploads, "upload")) was not finished, and no server has removed what is left. Start one; its log says "
          + "why if it cannot.", &counts)
    }
    let removed = try await number(ClusterQueries.removedPhotos(notTriedFor: Self.overdueAge))
    if removed > 0 {
      found(
        .removalPending, Self.databaseName,
        "\(counted(removed, "object")) of deleted photos are still there, and no server has tried to delete them for an "
          + "hour. Start one; its log says why if it cannot.", &counts)
    }
  }

  private func checkSums(_ counts: inout CheckCounts) async throws {
    let wrong = try await number(ClusterQueries.wrongSums)
    guard wrong > 0 else { return }
    found(
      .wrongByteCount, Self.databaseName,
      "the photos of \(counted(wrong, "user")) count for another number of bytes than they have, as after a restore "
        + "whose triggers counted again. See Docs/Cluster.md.", &counts)
  }

  private func number(_ query: Query) async throws -> Int64 {
    try await database.first(query, as: NumberRow.self)?.value ?? 0
  }

  // MARK: - Photos

  private func checkPhotos(_ counts: inout CheckCounts) async throws {
    var last = Int64.min
    while case let page = try await database.all(PhotoStore.page(after: last), as: Photo.self), let newest = page.last {
      for outcome in try await looks(at: page) { note(outcome, &counts) }
      last = newest.id
    }
  }

  private func looks(at photos: [Photo]) async throws -> [ObjectLook] {
    var rest = photos[...]
    var looks: [ObjectLook] = []
    try await withThrowingTaskGroup(of: ObjectLook.self) { group in
      func addNext() {
        guard let photo = rest.popFirst() else { return }
        group.addTask { [self] in try await ObjectLook(at: photo, in: objects, database, reads: readsPhotos) }
      }
      for _ in 0..<Self.objectsAtOnce { addNext() }
      while let look = try await group.next() {
        looks.append(look)
        addNext()
      }
    }
    return looks
  }

  private func note(_ look: ObjectLook, _ counts: inout CheckCounts) {
    counts.photos += 1
    if look.isRead { counts.digests += 1 }
    if look.photo.sha256 == nil { counts.photosWithoutDigest += 1 }
    if let finding = look.finding {
      found(finding.kind, "photo \(look.photo.randomID)", finding.message, &counts)
    }
  }

  // MARK: - What the checks say

  private func found(
    _ kind: StorageIssue.Kind, _ subject: String, _ message: String, _ counts: inout CheckCounts
  ) {
    counts.findings += 1
    report(
      .issue(StorageIssue(kind: kind, subject: subject, message: message.printable, isRepaired: false)))
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
