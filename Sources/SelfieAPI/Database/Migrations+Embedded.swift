import CMigrations
package import SQL

// The texts of the migrations. Migrations+SQLite.swift in SQLite and Migrations+PostgreSQL.swift in PostgreSQL run
// them.
extension Migrations {
  /// The steps of this version's schema: the files of the folder Migrations, as they were when this was compiled.
  package static let sqlite = Migrations(embedded: cmigrations_sqlite)
  /// The steps of a cluster's.
  package static let postgreSQL = Migrations(embedded: cmigrations_postgresql)

  /// - Parameter first: of a list that ends with one without a name.
  private init(embedded first: UnsafePointer<cmigration>) {
    let files = sequence(first: first) { $0 + 1 }.lazy.map(\.pointee).prefix { $0.name != nil }
    self.init(files.map { Migration(name: String(cString: $0.name), sql: String(cString: $0.sql)) })
  }
}
