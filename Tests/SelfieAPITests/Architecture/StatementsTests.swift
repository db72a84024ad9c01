import APITestSupport
import PostgreSQL
import SQL
import TestSupport
import Testing

@testable import SQLite
@testable import SelfieAPI

@Suite struct `SQL in Sources` {
  private struct Statement {
    let path: String
    let sql: String

    /// Files of this name have statements that only PostgreSQL takes.
    var isForPostgreSQL: Bool { path.hasPrefix("SelfieAPI/") && path.hasSuffix("+PostgreSQL.swift") }
    var isOfStore: Bool { path.hasPrefix("SelfieAPI/") && path.contains("Store") || isForPostgreSQL }
  }

  private static let all: [Statement] = {
    let verbs =
      /(SELECT |WITH |INSERT (OR \w+ )?INTO|REPLACE INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA |(CREATE|DROP|ALTER) \w+ )/
    return SwiftSource.all.flatMap { source in
      source.literals.filter { $0.prefixMatch(of: verbs) != nil }.map { Statement(path: source.path, sql: $0) }
    }
  }()

  private static let ofStores = all.filter(\.isOfStore)

  @Test func `stands in the stores, and in what wraps SQLite and PostgreSQL`() {
    #expect(Self.ofStores.count > 50)
    // The target SQL has the one statement about migrations that both databases share.
    let wrappers = ["SQL/Migrations/", "SQLite/", "PostgreSQL/"]
    let others = Self.all.filter { statement in
      !statement.isOfStore && !wrappers.contains { statement.path.hasPrefix($0) }
    }
    #expect(others.map(\.path) == [])
  }

  /// SQLite numbers `$1`, `$2` and so on as they appear, and PostgreSQL as they are called.
  @Test func `numbers its parameters as they first appear`() {
    let parameter = /\$(\d+)/
    for sql in Self.ofStores.map(\.sql) {
      #expect(!sql.contains("?"), "\(sql)")
      var numbers: [Int] = []
      for match in sql.matches(of: parameter) {
        if let number = Int(match.1), !numbers.contains(number) { numbers.append(number) }
      }
      #expect(numbers == Array(1..<numbers.count + 1), "\(sql)")
    }
  }

  @Test func `has no cast for the other database`() {
    for sql in Self.ofStores.filter({ !$0.isForPostgreSQL }).map(\.sql) where !sql.contains(" AS BLOB)") {
      #expect(!sql.contains("CAST("), "\(sql)")
    }
  }

  /// The steps that are meant to scan or to sort, by a part of their statement.
  private static let meant = [
    // The owner looks for a part of a name, for addresses that differ in case only, and at all tokens, user by user.
    "WHERE lower(email": ["SCAN users"],
    // The doctor looks for a file's photo where the file system ignores case.
    "WHERE lower(random_id)": ["SCAN photos"],
    "GROUP BY lower(email)": ["USE TEMP B-TREE FOR GROUP BY"],
    "ORDER BY user_id, tokens.created_at": [
      "SCAN tokens USING INDEX tokens_by_user", "USE TEMP B-TREE FOR RIGHT PART",
    ],
    // A quota of all photos adds up what each user has.
    "FROM photo_bytes": ["SCAN photo_bytes", "SCAN CONSTANT ROW"],
    // The doctor looks at the sums of all users.
    "FROM note_bytes WHERE NOT EXISTS": ["SCAN note_bytes"],
    // What an index has found is counted for the version of a list.
    ") AS listed": ["SCAN listed"],
  ]

  @Test func `finds rows by an index and sorts none, but where it is meant to`() throws {
    let api = try APIFixture()
    for sql in Self.ofStores.filter({ !$0.isForPostgreSQL }).map(\.sql) {
      let plan = try api.database.read { try $0.queryPlan(sql) }
      // What is about all rows reads all rows, such as the doctor's look at lengths.
      let isAboutAll = !sql.contains("WHERE") || sql.hasPrefix("INSERT") || sql.contains("WHERE length(")
      let meant = Self.meant.filter { sql.contains($0.key) }.flatMap(\.value)
      let others = plan.filter { step in
        (step.contains("TEMP B-TREE") || step.contains("SCAN") && !isAboutAll) && !meant.contains(where: step.hasPrefix)
      }
      #expect((isAboutAll || !plan.isEmpty) && others == [], "\(sql): \(plan)")
    }
  }

  /// A statement that only SQLite takes has another text in a file named `+PostgreSQL.swift`.
  @Test(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"))
  func `is prepared by PostgreSQL, but for what is SQLite's alone`() throws {
    let server = try PostgreSQLServer.shared
    try server.run("CREATE DATABASE statements")
    _ = try Migrations.postgreSQL.run(on: DatabaseURL(server.address(of: "statements")), now: 0)
    // A cluster makes no backups, and has none of their tables.
    let shared = Self.ofStores.filter { !$0.path.hasSuffix("/BackupStateStore.swift") }
    let statements = shared.map(\.sql).filter { !$0.contains(" AS BLOB)") && !$0.contains("json_object(") }
    let preparations = statements.enumerated().map { "PREPARE statement\($0) AS \($1);" }
    try server.run(preparations.joined(separator: "\n"), on: "statements")
  }
}

extension Connection {
  /// How SQLite would run `sql`: a line for each step that says whether it searches an index or scans a table.
  fileprivate func queryPlan(_ sql: String) throws -> [String] {
    let statement = try Statement("EXPLAIN QUERY PLAN " + sql, on: open())
    return try statement.rows(Array(repeating: .null, count: statement.parameterCount)).map { $0.text(3) ?? "" }
  }
}
