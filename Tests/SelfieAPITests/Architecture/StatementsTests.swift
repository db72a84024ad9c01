import APITestSupport
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI

@Suite struct `SQL in Sources` {
  private static let stores = SwiftSource.all.map(\.path).filter {
    $0.hasPrefix("SelfieAPI/") && $0.contains("Store") && !$0.hasSuffix("+PostgreSQL.swift")
  }

  /// The files with what only PostgreSQL takes.
  private static let ofPostgreSQL = SwiftSource.all.map(\.path).filter {
    $0.hasPrefix("SelfieAPI/") && $0.hasSuffix("+PostgreSQL.swift")
  }

  /// By path. A regular expression is parsed each time that its literal is evaluated: it is outside of the loops.
  private static let statements: [String: [String]] = {
    let verbs =
      /(SELECT |WITH |INSERT (OR \w+ )?INTO|REPLACE INTO|UPDATE \w+ SET|DELETE FROM|PRAGMA |(CREATE|DROP|ALTER) \w+ )/
    return Dictionary(
      uniqueKeysWithValues: SwiftSource.all.map { source in
        (source.path, source.literals.filter { $0.prefixMatch(of: verbs) != nil })
      })
  }()

  private static func statements(in source: SwiftSource) -> [String] { statements[source.path] ?? [] }

  /// Those for SQLite, for PostgreSQL and for both.
  static var ofStores: [String] { (stores + ofPostgreSQL).flatMap { statements[$0] ?? [] } }

  @Test func `stands in the stores, and in what wraps SQLite and PostgreSQL`() {
    let others = SwiftSource.all.filter { source in
      !source.path.hasPrefix("SQLite/") && !source.path.hasPrefix("PostgreSQL/") && !Self.statements(in: source).isEmpty
        && !(Self.stores + Self.ofPostgreSQL).contains(source.path)
    }
    #expect(others.map(\.path) == [])
  }

  /// SQLite numbers `$1`, `$2` and so on as they appear, and PostgreSQL as they are called.
  @Test func `numbers its parameters as they first appear`() throws {
    let parameter = /\$(\d+)/
    for source in SwiftSource.all where (Self.stores + Self.ofPostgreSQL).contains(source.path) {
      for sql in Self.statements(in: source) {
        #expect(!sql.contains("?"), "\(sql)")
        var numbers: [Int] = []
        for match in sql.matches(of: parameter) {
          let number = try #require(Int(match.1))
          if !numbers.contains(number) { numbers.append(number) }
        }
        #expect(numbers == Array(1..<numbers.count + 1), "\(sql)")
      }
    }
  }

  @Test func `finds rows by an index, and sorts none`() throws {
    let api = try APIFixture()
    for source in SwiftSource.all where Self.stores.contains(source.path) {
      for sql in Self.statements(in: source) {
        // What no index has: the owner asks for addresses that differ in case only.
        if sql.contains("GROUP BY lower(email)") { continue }
        let plan = try api.database.read { try $0.queryPlan(sql) }
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(sql): \(plan)")
        // What is about all rows reads all rows, such as the doctor's look at lengths.
        guard sql.contains("WHERE"), !sql.hasPrefix("INSERT"), !sql.contains("WHERE length(") else { continue }
        // A quota of all photos adds up what each user has, and the version of a list what an index has found.
        let scanned = ["SCAN CONSTANT ROW", "SCAN photo_bytes", "SCAN listed"]
        let scans = plan.filter { $0.contains("SCAN") && !scanned.contains($0) }
        #expect(!plan.isEmpty && scans.isEmpty, "\(sql): \(plan)")
      }
    }
  }
}
