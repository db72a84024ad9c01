import Cryptography
import Platform
import SQL
import SQLite
import SelfieAPI

/// Moves everything that is stored between a storage folder and a cluster: rows with their ids, and photos with their
/// bytes, so that apps stay signed in and find their photos.
///
/// Nobody else may use either side meanwhile. A move that was interrupted goes on where it was: each page of rows is
/// inserted in one transaction, and what is on both sides already is only compared. The memory that it takes does not
/// grow with what is stored.
public struct Move: Sendable {
  public enum Direction: Sendable {
    case toCluster, fromCluster
  }

  /// How many photos are copied at once: each waits for the disk or for the object store most of the time.
  public static let copiesAtOnce = 8

  private let source: ApplicationDatabase
  private let target: ApplicationDatabase
  private let copier: PhotoCopier
  private let skipsInvalid: Bool
  private let report: @Sendable (MoveEvent) -> Void

  /// - Parameters:
  ///   - files: of the same folder as `database`.
  ///   - pool: waits for the disk; for `copiesAtOnce` jobs at once.
  ///   - skipsInvalid: whether rows that cannot be moved are left behind.
  package init(
    _ direction: Direction, database: Database, files: PhotoFiles, cluster: any SharedDatabase,
    objects: any PhotoObjects,
    pool: WorkerPool, skipsInvalid: Bool, report: @escaping @Sendable (MoveEvent) -> Void
  ) {
    (source, target) =
      direction == .toCluster ? (.file(database), .shared(cluster)) : (.shared(cluster), .file(database))
    copier = PhotoCopier(direction: direction, files: files, objects: objects, pool: pool)
    self.skipsInvalid = skipsInvalid
    self.report = report
  }

  /// - Throws: `MoveError`, `ClusterInUse`, or why one of the sides cannot be read or written.
  public func run() async throws -> MoveSummary {
    try await (source.shared ?? target.shared)?.requireNoOtherProcess()
    try copier.files.prepare()
    try copier.files.recoverUploads { [source, target] id in
      guard let file = source.file ?? target.file else { return false }
      return try file.read { try PhotoStore.exists(randomID: id, on: $0) }
    }
    var state = State()
    for table in MovedTable.all { try await survey(table, &state) }
    try stop(because: state)
    for table in MovedTable.all { try await move(table, &state) }
    var summary = MoveSummary()
    summary.problems = state.problems
    for table in MovedTable.all { try await verify(table, state, &summary) }
    return summary
  }

  private struct State {
    var skipped = SkippedRows()
    var problems = 0
    /// How many rows the source has, by the name of the table.
    var totals: [String: Int] = [:]
  }

  private func note(_ problem: MoveProblem, with row: MovedRow, of table: MovedTable, _ state: inout State) {
    state.problems += 1
    state.skipped.insert(row, of: table)
    report(.problem(problem))
  }

  private func stop(because state: State) throws {
    guard skipsInvalid || state.problems == 0 else { throw MoveError.invalidRows(state.problems) }
  }

  // MARK: - Before anything is written

  /// Finds rows that cannot be moved, and a target that has other data.
  private func survey(_ table: MovedTable, _ state: inout State) async throws {
    var (walk, count) = (TableWalk(table, from: source, to: target), 0)
    while let page = try await walk.next() {
      for row in page.source where !state.skipped.contains(row, of: table) {
        guard let reason = row.problem, case .id(let id) = row.key else { continue }
        note(MoveProblem(table: table, id: id, reason), with: row, of: table, &state)
      }
      _ = try page.missing(without: state.skipped)
      count += page.source.count
      report(.surveyed(table: table.name, rows: count))
    }
    state.totals[table.name] = count
  }

  // MARK: - The move

  private func move(_ table: MovedTable, _ state: inout State) async throws {
    var (walk, count, lastID) = (TableWalk(table, from: source, to: target), 0, Int64(0))
    while let page = try await walk.next() {
      try await move(page, of: table, &state)
      count += page.source.count
      if case .id(let id)? = page.source.last?.key { lastID = id }
      report(.moved(table: table.name, rows: count, of: state.totals[table.name] ?? count))
    }
    guard table.hasRowIDs else { return }
    try await target.raiseLastRowID(to: max(lastID, source.lastRowID(of: table.name)), of: table.name)
  }

  private func move(_ page: TablePage, of table: MovedTable, _ state: inout State) async throws {
    var rows = try page.missing(without: state.skipped)
    if table.name == MovedTable.photos.name { rows = try await withCopiedPhotos(rows, &state) }
    guard !rows.isEmpty else { return }
    let photos = rows.compactMap(\.photo?.randomID)
    try await target.write(about: .all) { [rows, isShared = target.file == nil] tx in
      try tx.run(rows.map(\.insertion))
      if isShared { try tx.forgetUploads(photos) }
    }
    guard target.file != nil else { return }
    // If this fails, the next start removes the name.
    for id in photos { try? copier.files.removeIncoming(id) }
  }

  /// Copies the photos' bytes, notes the digests that the source lacks, and returns the rows whose photos were copied.
  private func withCopiedPhotos(_ rows: [MovedRow], _ state: inout State) async throws -> [MovedRow] {
    if target.file == nil, !rows.isEmpty {
      // If this move is never finished, the servers delete the objects that have no row.
      try await target.write(about: .all) { [rows] in try $0.noteUploads(rows.compactMap(\.photo?.randomID)) }
    }
    let copies = try await copies(of: rows)
    var (moved, digested): ([MovedRow], [Photo]) = ([], [])
    for row in rows {
      switch copies[row.key] {
      case .success(let photo)?:
        moved.append(MovedRow(of: photo))
        if row.photo?.sha256 == nil { digested.append(photo) }
      case .failure(let problem)?: note(problem, with: row, of: .photos, &state)
      case nil: continue
      }
    }
    try stop(because: state)
    // Before the rows are inserted, so that they are the same on both sides.
    if !digested.isEmpty { try await source.write(about: .all) { [digested] in try $0.setDigests(of: digested) } }
    return moved
  }

  private typealias Copy = Result<Photo, MoveProblem>

  private func copies(of rows: [MovedRow]) async throws -> [RowKey: Copy] {
    var rest = rows.compactMap(\.photo)[...]
    var copies: [RowKey: Copy] = [:]
    try await withThrowingTaskGroup(of: (Int64, Copy).self) { group in
      func addNext() {
        guard let photo = rest.popFirst() else { return }
        group.addTask { [copier] in
          do {
            return (photo.id, .success(try await copier.copy(photo)))
          } catch let problem as MoveProblem {
            return (photo.id, .failure(problem))
          }
        }
      }
      for _ in 0..<Self.copiesAtOnce { addNext() }
      while let (id, copy) = try await group.next() {
        copies[.id(id)] = copy
        addNext()
      }
    }
    return copies
  }

  // MARK: - At the end

  private func verify(_ table: MovedTable, _ state: State, _ summary: inout MoveSummary) async throws {
    var (walk, count) = (TableWalk(table, from: source, to: target), 0)
    var (digest, digestOfTarget) = (SHA256(), SHA256())
    while let page = try await walk.next() {
      for row in page.source where !state.skipped.contains(row, of: table) {
        digest.update(row)
        count += 1
        summary.photoBytes &+= row.photo?.byteCount ?? 0
      }
      for row in page.target { digestOfTarget.update(row) }
      report(.verified(table: table.name, rows: count, of: state.totals[table.name] ?? count))
    }
    let sha256 = digest.finish()
    guard digestOfTarget.finish() == sha256 else { throw MoveError.unequal(table: table.name) }
    summary.tables.append(MoveSummary.Table(name: table.name, rows: count, sha256: sha256))
  }
}
