import SQL
import SQLite
import SelfieAPI
import SelfieTestDocuments

/// The rows of everything that is stored. StatePhotos.swift has the photos' files.
struct StoredRows: Sendable {
  let users: [User]
  let tokens: [Token]
  let photos: [Photo]
  let notes: [Note]
  let microblogUsers: [MicroblogUser]
  let sessions: [MicroblogSession]
  let blogposts: [Blogpost]
  let counts: StateCounts
  /// The greatest id that each table has ever had.
  let lastIDs: [(table: String, id: Int64)]

  init(on connection: Connection) throws {
    users = try connection.all(UserStore.page(max: .max))
    tokens = try connection.all(TokenStore.page(max: .max))
      .sorted { ($0.userID, $0.createdAt) < ($1.userID, $1.createdAt) }
    photos = try connection.all(PhotoStore.page(max: .max))
    notes = try connection.all(NoteStore.page(max: .max))
    microblogUsers = try connection.all(MicroblogUserStore.page(max: .max))
    sessions = try connection.all(MicroblogSessionStore.page(max: .max))
      .sorted { ($0.userID, $0.usedAt) < ($1.userID, $1.usedAt) }
    blogposts = try connection.all(BlogpostStore.page(max: .max))
    counts = try connection.rowCounts()
    lastIDs = try Self.numberedTables.map { ($0, try connection.lastRowID(of: $0)) }
  }

  /// The tables in which no id is given twice.
  fileprivate static let numberedTables = ["users", "photos", "notes", "microblog_users", "blogposts"]

  /// Without the bytes of photos.
  var document: Seed {
    let tokens = Dictionary(grouping: tokens, by: \.userID).mapValues { $0.map { Seed.Token($0) } }
    let photos = Dictionary(grouping: photos, by: \.userID).mapValues { $0.map(Seed.Photo.init) }
    let notes = Dictionary(grouping: notes, by: \.userID).mapValues { $0.map(Seed.Note.init) }
    let sessions = Dictionary(grouping: sessions, by: \.userID).mapValues { $0.map { Seed.Session($0) } }
    let posts = Dictionary(grouping: blogposts, by: \.userID)
    return Seed(
      users: users.map {
        .init($0, tokens: tokens[$0.id] ?? [], photos: photos[$0.id] ?? [], notes: notes[$0.id] ?? [])
      },
      microblogUsers: microblogUsers.map {
        .init($0, sessions: sessions[$0.id] ?? [], blogposts: posts[$0.id] ?? [])
      })
  }
}

extension Connection {
  /// Replaces everything.
  func replaceAll(by rows: StoredRows) throws {
    _ = try removeAll()
    for user in rows.users { try insert(user) }
    for token in rows.tokens { try insert(token) }
    try insert(rows.photos)
    try insert(rows.notes)
    for user in rows.microblogUsers { try insert(user) }
    for session in rows.sessions { try insert(session) }
    try insert(rows.blogposts)
    for (table, id) in rows.lastIDs { try setLastRowID(id, of: table) }
  }

  /// Removes everything. Ids begin at 1 again.
  func removeAll() throws -> StateCounts {
    let counts = try rowCounts()
    try removeAllUsers()
    try removeAllMicroblogUsers()
    for table in StoredRows.numberedTables { try setLastRowID(0, of: table) }
    return counts
  }

  func rowCounts() throws -> StateCounts {
    try first(UserStore.rowCounts) { row in
      StateCounts(
        users: row["users"], tokens: row["tokens"], photos: row["photos"], notes: row["notes"],
        microblogUsers: row["microblog_users"], blogposts: row["blogposts"])
    } ?? StateCounts()
  }
}
