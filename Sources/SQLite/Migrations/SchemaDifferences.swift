import Platform
import SQL

extension Migrations {
  /// How the schema of a database differs from the one that the steps it has had make, such as "it has the trigger x,
  /// which no migration makes". A server would run a foreign trigger within its own statements. Changes nothing.
  public func schemaDifferences(on connection: Connection) throws -> [String] {
    let reference = try Connection(path: "", mode: .inMemory)
    defer { reference.close() }
    _ = try Migrations(Array(steps.dropLast(pending(on: connection).count))).run(on: reference, now: 0)
    let (found, expected) = (try SchemaObject.all(on: connection), try SchemaObject.all(on: reference))
    let others = found.filter { !expected.contains($0) && !SchemaObject.statistics.contains($0) }
      .map { object in
        expected.contains(where: object.hasSameName)
          ? "its \(object) is not as the migrations make it" : "it has the \(object), which no migration makes"
      }
    return others + expected.filter { !found.contains(where: $0.hasSameName) }.map { "it lacks the \($0)" }
  }
}

/// A table, an index, a view or a trigger of a database.
private struct SchemaObject: Equatable, CustomStringConvertible {
  let kind: String
  let name: ExactText
  /// Empty for an index that a table's definition implies.
  let sql: ExactText

  /// Made by ANALYZE, which an owner may run.
  static let statistics = [
    SchemaObject("table", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
    SchemaObject("table", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
  ]

  init(_ kind: String, _ name: String, _ sql: String) {
    (self.kind, self.name, self.sql) = (kind, ExactText(name), ExactText(sql))
  }

  static func all(on connection: Connection) throws -> [SchemaObject] {
    try connection.query("SELECT type, name, sql FROM sqlite_schema ORDER BY rowid") { row in
      SchemaObject(row.text(0) ?? "", row.text(1) ?? "", row.text(2) ?? "")
    }
  }

  func hasSameName(_ other: SchemaObject) -> Bool { kind == other.kind && name == other.name }

  var description: String { "\(kind) \(name)" }
}
