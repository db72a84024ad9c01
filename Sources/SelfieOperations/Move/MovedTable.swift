import SQL
import SelfieAPI

/// A table whose rows a move takes along. The tables of deleted photos, unfinished uploads and refused passwords stay:
/// what they are about is on their own side only.
struct MovedTable: Sendable {
  let name: String
  /// The table of the users to whom its rows belong; nil for users.
  let owners: String?
  let hasRowIDs: Bool
  /// The rows behind a key, in order, only the first of them; from the beginning for nil.
  let page: @Sendable (_ last: RowKey?) -> Query
  private let fetch: @Sendable (ApplicationDatabase, Query) async throws -> [MovedRow]

  func rows(of database: ApplicationDatabase, after last: RowKey?) async throws -> [MovedRow] {
    try await fetch(database, page(last))
  }

  static let photos = MovedTable(
    "photos", of: users.name, page: { PhotoStore.page(after: $0) }, row: { (photo: Photo) in MovedRow(of: photo) })
  private static let users = MovedTable(
    "users", page: { UserStore.page(after: $0) },
    row: { (user: User) in MovedRow(.id(user.id), UserStore.insertion(of: user)) })
  private static let microblogUsers = MovedTable(
    "microblog_users", page: { MicroblogUserStore.page(after: $0) },
    row: { (user: MicroblogUser) in MovedRow(.id(user.id), MicroblogUserStore.insertion(of: user)) })

  /// Users come before what is theirs. The photos come last, since their bytes take the longest.
  static let all: [MovedTable] = [
    users, microblogUsers,
    MovedTable(
      "tokens", of: users.name, page: { TokenStore.page(after: $0) },
      row: { (token: Token) in
        MovedRow(.digest(token.digest), of: token.userID, TokenStore.insertion(of: token))
      }),
    MovedTable(
      "retired_tokens", of: users.name, page: { RetiredTokenStore.page(after: $0) },
      row: { (token: Token) in
        MovedRow(.digest(token.digest), of: token.userID, RetiredTokenStore.insertion(of: token))
      }),
    MovedTable(
      "notes", of: users.name, page: { NoteStore.page(after: $0) },
      row: { (note: Note) in MovedRow(.id(note.id), of: note.userID, NoteStore.insertion(of: note)) }),
    MovedTable(
      "microblog_sessions", of: microblogUsers.name, page: { MicroblogSessionStore.page(after: $0) },
      row: { (session: MicroblogSession) in
        MovedRow(.digest(session.digest), of: session.userID, MicroblogSessionStore.insertion(of: session))
      }),
    MovedTable(
      "blogposts", of: microblogUsers.name, page: { BlogpostStore.page(after: $0) },
      row: { (post: Blogpost) in MovedRow(.id(post.id), of: post.userID, BlogpostStore.insertion(of: post)) }),
    photos,
  ]
}

extension MovedTable {
  private init<Record: RowRecord & Sendable>(
    _ name: String, of owners: String? = nil, page: @escaping @Sendable (Int64) -> Query,
    row: @escaping @Sendable (Record) -> MovedRow
  ) {
    self.name = name
    self.owners = owners
    hasRowIDs = true
    self.page = { if case .id(let id)? = $0 { page(id) } else { page(.min) } }
    fetch = { try await $0.all($1, as: ExaminedRecord<Record>.self).map { $0.moved(by: row) } }
  }

  private init<Record: RowRecord & Sendable>(
    _ name: String, of owners: String, page: @escaping @Sendable ([UInt8]) -> Query,
    row: @escaping @Sendable (Record) -> MovedRow
  ) {
    self.name = name
    self.owners = owners
    hasRowIDs = false
    self.page = { if case .digest(let digest)? = $0 { page(digest) } else { page([]) } }
    fetch = { try await $0.all($1, as: ExaminedRecord<Record>.self).map { $0.moved(by: row) } }
  }
}

/// A record, and whether its row has texts that do not move as they are.
private struct ExaminedRecord<Record: RowRecord>: RowRecord {
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
