import Platform
import SQL

// Compares a schema with its migrations. Migrations+SQLite.swift runs them.
extension Migrations {
  /// How the schema of a database differs from the one that the steps it has had make, such as "it has the trigger x,
  /// which no migration makes". A server would run a foreign trigger within its own statements. Changes nothing.
  package func schemaDifferences(on connection: Connection) throws -> [String] {
    let reference = try Connection(path: "", mode: .inMemory)
    defer { reference.close() }
    _ = try Migrations(Array(steps.dropLast(pending(on: connection).count))).run(on: reference, now: 0)
    let (found, expected) = (try Self.objects(of: connection), try Self.objects(of: reference))
    let others = found.filter { object in !(expected + Self.statistics).contains { $0 == object } }
      .map { name, _ in
        expected.contains { $0.name == name }
          ? "its \(name) is not as the migrations make it" : "it has the \(name), which no migration makes"
      }
    return others
      + expected.filter { object in !found.contains { $0.name == object.name } }.map { "it lacks the \($0.name)" }
  }

  /// Made by ANALYZE, which an owner may run.
  private static let statistics = [
    (name: ExactText("table sqlite_stat1"), sql: ExactText("CREATE TABLE sqlite_stat1(tbl,idx,stat)")),
    (name: ExactText("table sqlite_stat4"), sql: ExactText("CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)")),
  ]

  /// The tables, indexes, views and triggers of a database. An index that a table's definition implies has no SQL.
  private static func objects(of connection: Connection) throws -> [(name: ExactText, sql: ExactText)] {
    try connection.query("SELECT type || ' ' || name AS name, sql FROM sqlite_schema ORDER BY rowid") { row in
      (ExactText(row["name"]), ExactText(row["sql"]))
    }
  }
}
