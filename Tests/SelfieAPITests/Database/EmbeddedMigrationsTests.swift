import Foundation
import SQL
import SelfieAPI
import TestSupport
import Testing

/// Embedded migrations.
@Suite struct EmbeddedMigrationsTests {
  @Test(arguments: [("Migrations", Migrations.sqlite), ("Migrations/PostgreSQL", .postgreSQL)])
  func `are the files of their folder, numbered from 0001 without a gap`(name: String, migrations: Migrations) throws {
    let folder = "\(checkout)/\(name)"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".sql") }.sorted()
    #expect(migrations.steps.map { "\($0.name).sql" } == files, "Add the missing ones to Sources/CMigrations")
    for (number, step) in zip(1..., migrations.steps) {
      #expect(step.name.hasPrefix(String(format: "%04d_", number)))
      #expect(try step.sql == String(contentsOfFile: "\(folder)/\(step.name).sql", encoding: .utf8), "\(step.name)")
    }
  }
}
