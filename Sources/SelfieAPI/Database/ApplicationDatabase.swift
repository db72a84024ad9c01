import SQL
import SQLite

/// Where the product's rows are.
package enum ApplicationDatabase: Sendable {
  /// In a file of this process alone. Its rows can be read at once, without leaving the event loop.
  case file(Database)
  /// On a server, which other processes use too. Each read and each write takes a round trip.
  case shared(SharedDatabase)

  /// Nil if the rows are in a shared database.
  package var file: Database? { if case .file(let file) = self { file } else { nil } }

  /// - Throws: `DatabaseIsShared`.
  package func requireFile() throws -> Database {
    guard let file else { throw DatabaseIsShared() }
    return file
  }

  /// Nil if the rows are in a file.
  package var shared: SharedDatabase? { if case .shared(let shared) = self { shared } else { nil } }
}

extension ApplicationDatabase {
  /// The first row of a query; nil if there is none.
  @inline(__always)
  package func first<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) async throws -> Record? {
    switch self {
    case .file(let file): try file.read { try $0.first(query) { Record($0, from: 0) } }
    case .shared(let shared): try await shared.first(query)
    }
  }

  /// All rows of a query.
  package func all<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) async throws -> [Record] {
    switch self {
    case .file(let file): try file.read { try $0.query(query) { Record($0, from: 0) } }
    case .shared(let shared): try await shared.rows(query).map { Record($0, from: 0) }
    }
  }

  /// Runs a write, and returns once it is on the disk.
  @discardableResult
  package func run(_ write: Write) async throws -> Written {
    switch self {
    case .file(let file): try await file.write(makesRoom: write.makesRoom) { try $0.run(write) }
    case .shared(let shared): try await shared.run(write)
    }
  }
}

extension ApplicationDatabase {
  /// Ends the snapshot that the requests of an event loop's turn have shared.
  func endTurn() {
    if case .file(let file) = self { file.endTurn() }
  }

  /// Checks that writes succeed.
  func probe() async throws {
    switch self {
    case .file(let file): try await file.probe()
    case .shared(let shared): try await shared.probe()
    }
  }

  /// Finishes the writes that were accepted, then closes the database. Blocks until then.
  func close() {
    switch self {
    case .file(let file): file.close()
    case .shared(let shared): shared.close()
    }
  }
}

/// The work needs the file that only one process has.
struct DatabaseIsShared: Error {}
