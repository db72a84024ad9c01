import SQL
import SQLite

/// Where the product's rows are.
package enum ApplicationDatabase: Sendable {
  /// In a file of this process alone. Its rows can be read at once, without leaving the event loop.
  case file(Database)
}

extension ApplicationDatabase {
  /// The first row of a query; nil if there is none.
  @inline(__always)
  func first<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) async throws -> Record? {
    switch self {
    case .file(let file): try file.read { try $0.first(query) { Record($0, from: 0) } }
    }
  }

  /// All rows of a query.
  func all<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) async throws -> [Record] {
    switch self {
    case .file(let file): try file.read { try $0.query(query) { Record($0, from: 0) } }
    }
  }

  /// Runs a write, and returns once it is on the disk.
  @discardableResult
  func run(_ write: Write) async throws -> Written {
    switch self {
    case .file(let file): try await file.write(makesRoom: write.makesRoom) { try $0.run(write) }
    }
  }

  /// Reads rows while they are written into a list.
  @inline(__always)
  func read<T>(_ body: (Connection) throws -> T) throws -> T {
    switch self {
    case .file(let file): try file.read(body)
    }
  }
}
