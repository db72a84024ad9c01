import APITestSupport
import Platform
import TestSupport
import Testing

/// Runs each test of a suite with the rows in a file, and once more with them in a database of a PostgreSQL server, if
/// one is installed. A failure says with which.
struct EachDatabase: SuiteTrait, TestTrait, TestScoping {
  /// Whether tests run with a file, too.
  let includesFile: Bool
  let isRecursive = true

  func prepare(for test: Test) async throws {
    if !includesFile { try await ConditionTrait.hasPostgreSQL.prepare(for: test) }
  }

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let only = test.traits.lazy.compactMap { $0 as? OnlyOn }.first
    if includesFile, only != .shared { try await run(test, testCase, "on SQLite", function) }
    guard PostgreSQLServer.isInstalled, only != .file else { return }
    try await SharedTestDatabases.lend { database in
      try await TestDatabase.$shared.withValue(database) { try await run(test, testCase, "on PostgreSQL", function) }
    }
  }

  private func run(
    _ test: Test, _ testCase: Test.Case?, _ database: Comment, _ function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let naming = IssueHandlingTrait.compactMapIssues { issue in
      var issue = issue
      issue.comments.append(database)
      return issue
    }
    try await naming.provideScope(for: test, testCase: testCase) {
      do {
        try await function()
      } catch is ExpectationFailedError {
        // It is an issue already.
      } catch {
        Issue.record(error)
      }
    }
  }
}

@Suite struct EachDatabaseTests {
  /// Skipped, it shows in the results that half of the runs were left out.
  @Test(.hasPostgreSQL)
  func `the tests of a suite for each database run on SQLite, and once more on PostgreSQL`() async throws {
    let test = try #require(Test.current)
    let areShared = Monitor<[Bool]>([])
    try await EachDatabase(includesFile: true).provideScope(for: test, testCase: nil) {
      areShared.withLock { $0.append(TestDatabase.shared != nil) }
    }
    #expect(areShared.withLock { $0 } == [false, true])
  }
}

enum OnlyOn: TestTrait {
  /// For a test that asks SQLite or the folder itself.
  case file
  /// For a test of what only a shared database needs. Without PostgreSQL, it is skipped.
  case shared

  func prepare(for test: Test) async throws {
    if self == .shared { try await ConditionTrait.hasPostgreSQL.prepare(for: test) }
  }
}

extension Trait where Self == ConditionTrait {
  fileprivate static var hasPostgreSQL: Self {
    .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed: suites ran on SQLite only")
  }
}

extension Trait where Self == EachDatabase {
  static var eachDatabase: Self { EachDatabase(includesFile: true) }
  static var onPostgreSQL: Self { EachDatabase(includesFile: false) }
}

extension Trait where Self == OnlyOn {
  static var fileOnly: Self { .file }
  static var sharedOnly: Self { .shared }
}
