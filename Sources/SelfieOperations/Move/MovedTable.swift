import Platform
import SQL
import SelfieAPI

// The tables and rows of a move. `Move` has the order of steps, and Move+Photos.swift copies photos.

/// A table whose rows are moved. The tables of deleted photos, unfinished uploads and refused passwords are not: what
/// they are about is on their own side only.
struct MovedTable: Sendable {
  let name: String
  /// The table of the users to whom its rows belong; nil for users.
  let owners: String?
  /// Whether it is in the order of ids, and not of digests.
  let hasRowIDs: Bool
  /// The first rows after a key, in order.
  let rows: @Sendable (ApplicationDatabase, _ last: RowKey) async throws -> [MovedRow]

  private init<Record: RowRecord & Sendable>(
    _ name: String, of owners: String? = nil, hasRowIDs: Bool = true,
    _ page: @escaping @Sendable (_ last: RowKey) -> Query, _ row: @escaping @Sendable (Record) -> MovedRow
  ) {
    (self.name, self.owners, self.hasRowIDs) = (name, owners, hasRowIDs)
    rows = { database, last in
      try await database.all(page(last), as: CheckedRow<Record>.self).map { checked in
        var moved = row(checked.record)
        moved.hasInvalidText = checked.hasInvalidText
        return moved
      }
    }
  }

  static let photos = MovedTable("photos", of: users.name, { PhotoStore.page(after: $0.id) }, MovedRow.row)
  private static let users = MovedTable("users", { UserStore.page(after: $0.id) }) { (user: User) in
    MovedRow(key: RowKey(id: user.id), insertion: user.insertion)
  }
  private static let microblogUsers = MovedTable("microblog_users", { MicroblogUserStore.page(after: $0.id) }) {
    (user: MicroblogUser) in MovedRow(key: RowKey(id: user.id), insertion: user.insertion)
  }

  /// Users come before what is theirs. The photos come last, since their bytes take the longest.
  static let all: [MovedTable] = [
    users, microblogUsers,
    MovedTable("tokens", of: users.name, hasRowIDs: false, { TokenStore.page(after: $0.digest) }) { (token: Token) in
      MovedRow(key: RowKey(digest: token.digest), ownerID: token.userID, insertion: token.insertion)
    },
    MovedTable("notes", of: users.name, { NoteStore.page(after: $0.id) }) { (note: Note) in
      MovedRow(key: RowKey(id: note.id), ownerID: note.userID, insertion: note.insertion)
    },
    MovedTable(
      "microblog_sessions", of: microblogUsers.name, hasRowIDs: false, { MicroblogSessionStore.page(after: $0.digest) }
    ) { (session: MicroblogSession) in
      MovedRow(key: RowKey(digest: session.digest), ownerID: session.userID, insertion: session.insertion)
    },
    MovedTable("blogposts", of: microblogUsers.name, { BlogpostStore.page(after: $0.id) }) { (post: Blogpost) in
      MovedRow(key: RowKey(id: post.id), ownerID: post.userID, insertion: post.insertion)
    },
    photos,
  ]

  /// The rows of a page that the target does not have yet.
  ///
  /// - Parameters:
  ///   - copies: the rows that the target has up to the end of the page.
  ///   - isSkipped: whether a row stays behind.
  /// - Throws: `OperationError` if the target has a row that the source does not have in the same form.
  func missing(_ rows: [MovedRow], in copies: [MovedRow], except isSkipped: (MovedRow) -> Bool) throws -> [MovedRow] {
    var others = Dictionary(copies.map { ($0.key, $0) }) { first, _ in first }
    let missing = try rows.filter { row in
      if isSkipped(row) { return false }
      guard let copy = others.removeValue(forKey: row.key) else { return true }
      guard row.bytes == copy.bytes else { throw OperationError.otherRows(in: self) }
      return false
    }
    guard others.isEmpty else { throw OperationError.otherRows(in: self) }
    return missing
  }
}

extension OperationError {
  static func otherRows(in table: MovedTable) -> OperationError {
    OperationError(
      """
      The target has other rows in \(table.name) than the source. Either it has data of its own, or a server has changed \
      one of the two since an earlier run: stop all servers, empty the target, and move again.
      """)
  }
}

/// A record, and whether its row has texts that cannot be moved unchanged.
private struct CheckedRow<Record: RowRecord>: RowRecord {
  let record: Record
  let hasInvalidText: Bool

  init(_ row: borrowing some RowReader & ~Copyable) { (record, hasInvalidText) = (Record(row), row.hasInvalidText) }
}

/// The key of a row: its id or a digest, which is as long as all others of its table. Both databases have the rows of a
/// table in the order of these keys. `MovedTable` reads the rows.
struct RowKey: Sendable, Hashable, Comparable {
  var id: Int64 = 0
  var digest: [UInt8] = []

  static func < (left: RowKey, right: RowKey) -> Bool {
    left.id < right.id || left.id == right.id && left.digest.lexicographicallyPrecedes(right.digest)
  }
}

/// A row as a move sees it.
struct MovedRow: Sendable {
  let key: RowKey
  /// The user to whom the row belongs; nil where the row is a user itself.
  var ownerID: Int64?
  /// Inserts the row. Its values are all that is compared of two rows.
  let insertion: Query
  /// The photo whose row this is.
  var photo: Photo?
  /// Whether a text has other bytes in its database than here.
  var hasInvalidText = false

  static func row(of photo: Photo) -> MovedRow {
    MovedRow(key: RowKey(id: photo.id), ownerID: photo.userID, insertion: photo.insertion, photo: photo)
  }

  /// All values. No two different rows have the same bytes, not even if Swift takes their texts for equal.
  var bytes: [UInt8] {
    insertion.values.flatMap { value -> [UInt8] in
      switch value {
      case .null: [0]
      case .integer(let number): [1] + Self.bigEndian(number)
      case .text(let text): [2] + Self.bigEndian(Int64(text.utf8.count)) + Array(text.utf8)
      case .blob(let bytes): [3] + Self.bigEndian(Int64(bytes.count)) + bytes
      }
    }
  }

  private static func bigEndian(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

  /// Why it cannot be moved; nil if it can.
  var problem: String? {
    let hasNUL = insertion.values.contains { if case .text(let text) = $0 { text.hasNUL } else { false } }
    if hasNUL { return "a text has a NUL character, which PostgreSQL cannot store" }
    return hasInvalidText ? "a text is not UTF-8, so PostgreSQL cannot store it" : nil
  }
}

/// A row that cannot be moved.
package struct MoveProblem: Error, Equatable, CustomStringConvertible {
  let table: String
  let id: Int64
  let reason: String

  package var description: String { "\(table) \(id): \(reason)" }
}
