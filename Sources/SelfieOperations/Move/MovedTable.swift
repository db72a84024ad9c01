import SQL
import SelfieAPI

/// A table whose rows are moved. The tables of deleted photos, unfinished uploads and refused passwords are not: what they
/// are about is on their own side only.
struct MovedTable: Sendable {
  let name: String
  /// The table of the users to whom its rows belong; nil for users.
  let owners: String?
  let hasRowIDs: Bool
  private let fetch: @Sendable (ApplicationDatabase, RowKey?) async throws -> [MovedRow]

  /// The first rows after a key, in order; from the beginning for nil.
  func rows(of database: ApplicationDatabase, after last: RowKey?) async throws -> [MovedRow] {
    try await fetch(database, last)
  }

  static let photos = MovedTable("photos", of: users.name, { PhotoStore.page(after: $0) }) { MovedRow(of: $0) }
  private static let users = MovedTable("users", { UserStore.page(after: $0) }) { (user: User) in
    MovedRow(key: .id(user.id), insertion: UserStore.insertion(of: user))
  }
  private static let microblogUsers = MovedTable("microblog_users", { MicroblogUserStore.page(after: $0) }) {
    (user: MicroblogUser) in MovedRow(key: .id(user.id), insertion: MicroblogUserStore.insertion(of: user))
  }

  /// Users come before what is theirs. The photos come last, since their bytes take the longest.
  static let all: [MovedTable] = [
    users, microblogUsers,
    MovedTable("tokens", of: users.name, { TokenStore.page(after: $0) }) { (token: Token) in
      MovedRow(key: .digest(token.digest), ownerID: token.userID, insertion: TokenStore.insertion(of: token))
    },
    MovedTable("notes", of: users.name, { NoteStore.page(after: $0) }) { (note: Note) in
      MovedRow(key: .id(note.id), ownerID: note.userID, insertion: NoteStore.insertion(of: note))
    },
    MovedTable("microblog_sessions", of: microblogUsers.name, { MicroblogSessionStore.page(after: $0) }) {
      (session: MicroblogSession) in
      MovedRow(
        key: .digest(session.digest), ownerID: session.userID, insertion: MicroblogSessionStore.insertion(of: session))
    },
    MovedTable("blogposts", of: microblogUsers.name, { BlogpostStore.page(after: $0) }) { (post: Blogpost) in
      MovedRow(key: .id(post.id), ownerID: post.userID, insertion: BlogpostStore.insertion(of: post))
    },
    photos,
  ]
}

extension MovedTable {
  /// A table in the order of its ids.
  private init<Record: RowRecord & Sendable>(
    _ name: String, of owners: String? = nil, _ page: @escaping @Sendable (Int64) -> Query,
    _ row: @escaping @Sendable (Record) -> MovedRow
  ) {
    self.init(name: name, owners: owners, hasRowIDs: true) { database, last in
      let id = if case .id(let id)? = last { id } else { Int64.min }
      return try await database.all(page(id), as: CheckedRow<Record>.self).map { $0.moved(by: row) }
    }
  }

  /// A table in the order of digests.
  private init<Record: RowRecord & Sendable>(
    _ name: String, of owners: String, _ page: @escaping @Sendable ([UInt8]) -> Query,
    _ row: @escaping @Sendable (Record) -> MovedRow
  ) {
    self.init(name: name, owners: owners, hasRowIDs: false) { database, last in
      let digest = if case .digest(let digest)? = last { digest } else { [UInt8]() }
      return try await database.all(page(digest), as: CheckedRow<Record>.self).map { $0.moved(by: row) }
    }
  }
}

/// A record, and whether its row has texts that cannot be moved unchanged.
private struct CheckedRow<Record: RowRecord>: RowRecord {
  let record: Record
  let hasInvalidText: Bool

  init(_ row: borrowing some RowReader & ~Copyable, from first: Int32) {
    record = Record(row, from: first)
    hasInvalidText = row.hasInvalidText
  }

  func moved(by row: (Record) -> MovedRow) -> MovedRow {
    var moved = row(record)
    moved.hasInvalidText = hasInvalidText
    return moved
  }
}
