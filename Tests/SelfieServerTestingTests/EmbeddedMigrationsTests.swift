import APITestSupport
import SQL
import SQLite
import Testing

@testable import SelfieServerTesting

/// Embedded migrations.
@Suite struct EmbeddedMigrationsTests {
  @Test func `are those of the folder Migrations`() throws {
    let migrations = try Migrations.ofCheckout()
    #expect(Migrations.embedded.steps.map(\.name) == migrations.steps.map(\.name))
    #expect(Migrations.embedded.steps.map(\.sha256) == migrations.steps.map(\.sha256))
  }
}
