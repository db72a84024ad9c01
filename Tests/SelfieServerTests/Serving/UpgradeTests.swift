import SQL
import SQLite
import SelfieAPI
import TestSupport
import Testing

/// A server's upgrade.
@Suite(.timeLimit(.minutes(10))) struct UpgradeTests {
  @Test func `the first start of a newer version keeps the database as it was, and says so`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("storage")
    let step = try #require(Migrations.sqlite.steps.last)
    let earlier = try Connection(path: "\(folder.path)/storage/selfie.sqlite3", mode: .readWrite)
    _ = try Migrations(Array(Migrations.sqlite.steps.dropLast())).run(on: earlier, now: 0)
    earlier.close()

    let upgraded = try ServerProcess(in: folder)
    _ = try await upgraded.appOfNewUser()
    await upgraded.stop()
    let copy = "storage/selfie.sqlite3.before-\(step.name.prefix(4))"
    let line = await upgraded.errors.all().first { $0.contains("brought up to date") }
    #expect(line?.hasSuffix("copied copy=\(copy) migrations=\(step.name)") == true, "\(line ?? "no line")")
    #expect(try folder.permissions(of: copy) == 0o600)
    #expect(try folder.contents(of: "storage").filter { $0.contains("before") }.map { "storage/\($0)" } == [copy])

    let next = try ServerProcess(in: folder)
    try await next.app().makeSignInRequest()
    await next.stop()
    #expect(await next.errors.all().filter { $0.contains("brought up to date") } == [])
  }
}
