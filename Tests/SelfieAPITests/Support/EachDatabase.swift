import APITestSupport
import TestSupport
import Testing

/// Runs each test of a suite twice: with the rows in a file, and in a database of a PostgreSQL server, if one is
/// installed.
struct EachDatabase: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await function()
    guard PostgreSQLServer.isInstalled, !test.traits.contains(where: { $0 is FileOnly }) else { return }
    try await SharedTestDatabases.lend { database in
      try await TestDatabase.$shared.withValue(database) { try await function() }
    }
  }
}

/// For a test that asks SQLite or the folder itself.
struct FileOnly: TestTrait {}

extension Trait where Self == EachDatabase {
  static var eachDatabase: Self { EachDatabase() }
}

extension Trait where Self == FileOnly {
  static var fileOnly: Self { FileOnly() }
}
