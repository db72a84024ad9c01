import Cryptography
import Platform
import SQL
package import SQLite
package import SelfieAPI

// The order of steps of a move. `MovedTable` has the tables and rows, and Move+Photos.swift copies the photos.

/// The result of a move: at its end, the rows and photos that are on both sides.
package struct MoveSummary: Sendable {
  /// A table whose rows are on both sides.
  package struct Table: Sendable {
    package let name: String
    package let rowCount: Int
    /// Of all values of all rows in their order.
    package let sha256: [UInt8]
  }

  package internal(set) var tables: [Table] = []
  /// The bytes of all photos. Those of each were read on both sides, and compared by their SHA-256.
  package internal(set) var photoBytes: Int64 = 0
  /// The rows that were left behind, without what belongs to them.
  package internal(set) var problems = 0

  /// The rows that stay behind since they cannot be moved, by the names of their tables.
  fileprivate var skipped: [String: Set<RowKey>] = [:]
  /// How many rows the source has, by the name of the table.
  fileprivate var totals: [String: Int] = [:]
  /// How many rows of the table that is being moved are on the other side, or stay behind.
  fileprivate var done = 0

  /// Whether a row stays behind, as does what belongs to users who stay.
  fileprivate func skips(_ row: MovedRow, of table: MovedTable) -> Bool {
    if skipped[table.name]?.contains(row.key) == true { return true }
    guard let ownerID = row.ownerID, let owners = table.owners.flatMap({ skipped[$0] }) else { return false }
    return owners.contains(RowKey(id: ownerID))
  }
}

/// Moves everything that is stored between a storage folder and a cluster: rows with their ids, and photos with their
/// bytes, so that apps stay signed in and find their photos.
///
/// No other process may use either side meanwhile. A move that was interrupted continues where it was: each page of rows is
/// inserted in one transaction, and what is on both sides already is only compared. The memory that it takes does not
/// grow with what is stored.
package struct Move: Sendable {
  /// How many photos are copied at once: each waits for the disk or for the object store most of the time.
  private static let copiesAtOnce = 8

  private let source: ApplicationDatabase
  private let target: ApplicationDatabase
  let toCluster: Bool
  let files: PhotoFiles
  let objects: any PhotoObjects
  /// Waits for the disk.
  let pool = WorkerPool(name: "move", threads: copiesAtOnce, waiting: copiesAtOnce * 2)
  private let skipsInvalid: Bool
  private let progress: @Sendable (Progress) -> Void
  private let report: @Sendable (MoveProblem) -> Void

  /// - Parameters:
  ///   - toCluster: from the folder to the cluster; false for the other way.
  ///   - files: of the same folder as `database`.
  ///   - skipsInvalid: whether rows that cannot be moved are left behind.
  ///   - progress: receives how far the move has come.
  ///   - report: receives each row that stays behind, or stops the move.
  package init(
    toCluster: Bool, database: Database, files: PhotoFiles, cluster: ClusterStorage, skipsInvalid: Bool,
    progress: @escaping @Sendable (Progress) -> Void, report: @escaping @Sendable (MoveProblem) -> Void
  ) {
    let (file, shared) = (ApplicationDatabase.file(database), ApplicationDatabase.shared(cluster.database))
    (source, target) = toCluster ? (file, shared) : (shared, file)
    (self.toCluster, self.files, objects) = (toCluster, files, cluster.objects)
    (self.skipsInvalid, self.progress, self.report) = (skipsInvalid, progress, report)
  }

  /// To be called once.
  ///
  /// - Throws: `OperationError`, or why one of the sides cannot be read or written.
  package func run() async throws -> MoveSummary {
    defer { pool.shutDown() }
    try await (source.shared ?? target.shared)?.requireNoOtherProcess()
    try files.prepare()
    try files.recoverUploads { spelling, ignoresCase in
      try (source.file ?? target.file)?.read { try $0.uploadState(spelling, ignoringCase: ignoresCase) } ?? .unknown
    }
    var state = MoveSummary()
    for table in MovedTable.all { try await survey(table, &state) }
    try stop(because: state)
    for table in MovedTable.all { try await move(table, &state) }
    for table in MovedTable.all { try await verify(table, &state) }
    let identity = try await source.first(StorageIdentityStore.id, as: String.self) ?? ""
    try await target.write(about: .nobody) { try $0.run(StorageIdentityStore.replacement(identity)) }
    return state
  }

  private func note(_ problem: MoveProblem, with row: MovedRow, _ state: inout MoveSummary) {
    state.problems += 1
    state.skipped[problem.table, default: []].insert(row.key)
    report(problem)
  }

  private func stop(because state: MoveSummary) throws {
    guard skipsInvalid || state.problems == 0 else {
      throw OperationError(
        """
        \(counted(state.problems, "row")) cannot be moved. Fix the rows listed above, or pass --skip-invalid to skip them \
        and everything that belongs to skipped users.
        """
      )
    }
  }

  /// Reads a table on both sides a page at a time, in the order of its keys.
  ///
  /// - Parameter body: receives rows of the source, and those that the target has up to the end of these.
  /// - Throws: `OperationError` if the target has rows after the last one of the source.
  private func forEachPage(
    of table: MovedTable, _ body: (_ rows: [MovedRow], _ copies: [MovedRow]) async throws -> Void
  ) async throws {
    var last = RowKey(id: .min)
    while true {
      let (rows, copies) = (try await table.rows(source, last), try await table.rows(target, last))
      guard let end = rows.last?.key else {
        guard copies.isEmpty else { throw OperationError.otherRows(in: table) }
        return
      }
      // A page of the target is as long as one of the source, and so reaches the same end unless it has other rows.
      try await body(rows, Array(copies.prefix { $0.key <= end }))
      last = end
    }
  }

  // MARK: - Before anything is written

  /// Finds rows that cannot be moved, and a target that has other data.
  private func survey(_ table: MovedTable, _ state: inout MoveSummary) async throws {
    var count = 0
    try await forEachPage(of: table) { rows, copies in
      for row in rows where !state.skips(row, of: table) {
        guard let reason = row.problem else { continue }
        note(MoveProblem(table: table.name, id: row.key.id, reason: reason), with: row, &state)
      }
      _ = try table.missing(rows, in: copies) { state.skips($0, of: table) }
      count += rows.count
      progress(Progress("Checking \(table.name)", count, "row"))
    }
    state.totals[table.name] = count
  }

  // MARK: - The move

  private func move(_ table: MovedTable, _ state: inout MoveSummary) async throws {
    var (count, last) = (0, RowKey())
    try await forEachPage(of: table) { rows, copies in
      let missing = try table.missing(rows, in: copies) { state.skips($0, of: table) }
      state.done = count + rows.count - missing.count
      try await insert(missing, into: table, &state)
      count += rows.count
      last = rows.last?.key ?? last
      progress(Progress("Moving \(table.name)", count, of: state.totals[table.name], "row"))
    }
    guard table.hasRowIDs else { return }
    try await target.raiseLastRowID(to: max(last.id, source.lastRowID(of: table.name)), of: table.name)
  }

  private func insert(_ missing: [MovedRow], into table: MovedTable, _ state: inout MoveSummary) async throws {
    let rows = table.name == MovedTable.photos.name ? try await withCopiedPhotos(missing, &state) : missing
    guard !rows.isEmpty else { return }
    try await target.insert(
      copiesOf: rows.compactMap(\.photo?.randomID), in: toCluster ? nil : files
    ) { try $0.run(rows.map(\.insertion)) }
  }

  /// Copies the photos' bytes, stores the digests that the source lacks, and returns the rows whose photos were copied.
  private func withCopiedPhotos(_ rows: [MovedRow], _ state: inout MoveSummary) async throws -> [MovedRow] {
    let photos = rows.compactMap(\.photo)
    try await target.noteCopies(of: photos.map(\.randomID))
    let copies = try await photos.mapConcurrently(atOnce: Self.copiesAtOnce) { photo -> Result<Photo, MoveProblem> in
      do {
        return .success(try await copy(photo))
      } catch let problem as MoveProblem {
        return .failure(problem)
      }
    } each: { _ in
      state.done += 1
      progress(Progress("Moving", state.done, of: state.totals["photos"], "photo"))
    }
    var (moved, digested): ([MovedRow], [Photo]) = ([], [])
    for (row, copy) in zip(rows, copies) {
      switch copy {
      case .success(let photo):
        moved.append(.row(of: photo))
        if row.photo?.sha256 == nil { digested.append(photo) }
      case .failure(let problem): note(problem, with: row, &state)
      }
    }
    try stop(because: state)
    // Before the rows are inserted, so that they are the same on both sides.
    if !digested.isEmpty { try await source.write(about: .all) { [digested] in try $0.setDigests(of: digested) } }
    return moved
  }

  // MARK: - At the end

  private func verify(_ table: MovedTable, _ state: inout MoveSummary) async throws {
    let (digest, digestOfTarget) = (SHA256(), SHA256())
    var count = 0
    try await forEachPage(of: table) { rows, copies in
      for row in rows where !state.skips(row, of: table) {
        digest.update(row.bytes)
        count += 1
        state.photoBytes &+= row.photo?.byteCount ?? 0
      }
      for row in copies { digestOfTarget.update(row.bytes) }
      progress(Progress("Comparing \(table.name)", count, of: state.totals[table.name], "row"))
    }
    let sha256 = digest.finish()
    guard digestOfTarget.finish() == sha256 else {
      throw OperationError(
        "\(table.name) changed on one side meanwhile. Stop all servers, and run this again.")
    }
    state.tables.append(MoveSummary.Table(name: table.name, rowCount: count, sha256: sha256))
  }
}
