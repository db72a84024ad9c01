import Foundation
import TestSupport
import Testing

/// A server's upgrade.
@Suite(.timeLimit(.minutes(10))) struct UpgradeTests {
  @Test func `the first start of a newer version keeps the database as it was, and says so`() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: "\(checkout)/Migrations", toPath: "\(folder.path)/Migrations")
    let environment = ["MIGRATIONS_DIR": "Migrations"]
    let first = try ServerProcess(environment: environment, in: folder)
    _ = try await first.appOfNewUser()
    await first.stop()
    #expect(await first.errors.all().filter { $0.contains("brought up to date") } == [])

    let count = try FileManager.default.contentsOfDirectory(atPath: "\(checkout)/Migrations")
      .filter { $0.hasSuffix(".sql") }.count
    let number = String(String("0000\(count + 1)").suffix(4))
    try folder.write("CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;\n", to: "Migrations/\(number)_more.sql")
    let second = try ServerProcess(environment: environment, in: folder)
    let app = try await second.app()
    try await app.makeSignInRequest(email: "jane@example.com", password: "secret12")
    await second.stop()
    let copy = "storage/selfie.sqlite3.before-\(number)"
    let line = await second.errors.all().first { $0.contains("brought up to date") }
    #expect(line?.hasSuffix("copied before copy=\(copy) migrations=\(number)_more") == true, "\(line ?? "no line")")
    #expect(try folder.permissions(of: copy) == 0o600)
    #expect(try folder.contents(of: "storage").filter { $0.contains("before") } == ["selfie.sqlite3.before-\(number)"])
  }
}
