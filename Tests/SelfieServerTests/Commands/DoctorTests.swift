import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DoctorTests {
  private func report(_ outcome: ServerProcess.Outcome) throws -> (findings: [[String: Any]], counts: [String: Int]) {
    let report = try outcome.json([String: Any].self)
    return (try #require(report["findings"] as? [[String: Any]]), try #require(report["counts"] as? [String: Int]))
  }

  @Test func `the status of a sound storage is 0, with a server running and without`() async throws {
    let server = try ServerProcess()
    try await server.appOfNewUser().postBtnTapped()
    let noDigest = "Without a digest yet: 1. A running server computes it within seconds, as does --repair."
    try await waitUntil {
      let outcome = try await server.folder.run("doctor")
      #expect(outcome.errors == [])
      let isNoted = outcome.output == ["Checked 1 photo, and read 1 of them. Everything is in order."]
      // Until the server has noted the digest.
      let isToBeNoted =
        outcome.output == ["Checked 1 photo, and read 1 of them. \(noDigest) Everything is in order."]
      try #require(isNoted || isToBeNoted, "\(outcome)")
      return isNoted
    }
    try await server.folder.run(
      "doctor --repair", status: 2, saying: "in use by selfie-server (pid \(server.pid)")
    await server.stop()

    for arguments in [["doctor", "--repair", "--drop-missing"], ["doctor"]] {
      let outcome = try await ServerProcess.run(arguments, in: server.folder)
      #expect(outcome.output == ["Checked 1 photo, and read 1 of them. Everything is in order."])
    }
    let quick = try await server.folder.run("doctor --quick --json")
    let (findings, counts) = try report(quick)
    #expect(findings.isEmpty)
    #expect(counts["photos"] == 1)
    #expect(counts["digests"] == 0)
  }

  @Test func `--salvage copies a storage whose database is damaged, and a start without a database changes nothing`()
    async throws
  {
    let (folder, photo) = try await TemporaryFolder.ofServerWithPhoto()
    let salvaged = try await folder.run("doctor --salvage new")
    #expect(salvaged.output.first?.hasPrefix("new has 1 user and 1 photo.") == true, "\(salvaged)")
    #expect(try folder.bytes(of: "new/\(photo)") == folder.bytes(of: "storage/\(photo)"))
    try await folder.run("doctor --storage-dir new")
    try await folder.run("doctor --salvage new", status: 1, saying: "new is not empty.")

    try folder.move("storage/selfie.sqlite3", to: "away")
    let names = Set(try folder.names(in: "storage"))
    for command in ["serve", "user list", "doctor --repair"] {
      try await folder.run(
        command, status: command == "doctor --repair" ? 2 : 1, saying: "has 1 photo, and selfie.sqlite3 is missing.")
    }
    #expect(Set(try folder.names(in: "storage")) == names)
  }

  @Test func `a server that cannot read its photos' rows serves the rest, and says that it is damaged`() async throws {
    let (folder, _) = try await TemporaryFolder.ofServerWithPhoto()
    let path = "\(folder.path)/storage/selfie.sqlite3"
    let connection = try Connection(path: path, mode: .readOnly)
    let root = try connection.query("SELECT rootpage FROM sqlite_schema WHERE name = 'photos'") { $0.integer(0) }.first
    connection.close()
    var bytes = try folder.bytes(of: "storage/selfie.sqlite3")
    let page = (Int(try #require(root)) - 1) * 4096
    bytes.replaceSubrange(page..<page + 4096, with: [UInt8](repeating: 0xa5, count: 4096))
    try folder.write(bytes, to: "storage/selfie.sqlite3")

    let server = try ServerProcess(in: folder)
    let response = try await server.response(to: "GET /readyz")
    #expect(response.status == 503)
    #expect(response.text.contains("The database is damaged."))
    let status = try await folder.run("status", status: 1)
    #expect(status.output.contains { $0.contains("The database is damaged.") }, "\(status)")
    try await server.app().makeSignInRequest()
    await server.stop()
  }

  @Test func `whatever a file is called, the report has a line for it, and a repair moves it`() async throws {
    let (folder, photo) = try await TemporaryFolder.ofServerWithPhoto()
    let names: [[UInt8]] = [
      Array("\u{1b}[2J\nChecked 1 photo. Everything is in order.".utf8), Array("\u{202e}gpj".utf8), [0x62, 0xff, 0x64],
    ]
    let places = ["photos", photo.split(separator: "/").prefix(2).joined(separator: "/"), "incoming"]
    for place in places {
      for name in names {
        let path = Array("\(folder.path)/storage/\(place)/".utf8) + name + [0]
        let file = open(path.map { CChar(bitPattern: $0) }, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        close(file)
      }
    }
    let printable = ["\\u{1b}[2J\\nChecked 1 photo. Everything is in order.", "\\u{202e}gpj", "b\\xffd"]

    let found = try await folder.run("doctor", status: 1)
    #expect(found.errors == [])
    for place in places {
      for name in printable { #expect(found.output.contains { $0.hasPrefix("\(place)/\(name): ") }, "\(found)") }
    }
    #expect(found.output.contains("photos/b\\xffd: belongs to no photo. --repair moves it to lost+found."))
    #expect(found.output.last?.hasSuffix("Not in order: 9.") == true, "\(found)")
    let (findings, _) = try report(try await folder.run("doctor --json", status: 1))
    #expect(Set(findings.compactMap { $0["subject"] as? String }).isSuperset(of: printable.map { "photos/\($0)" }))

    let repaired = try await folder.run("doctor --repair")
    #expect(repaired.output.last?.hasSuffix("Repaired: 9.") == true)
    #expect(repaired.output.contains { $0.hasSuffix("it is moved to lost+found/b\\xffd.2") }, "\(repaired)")

    // This cannot be repaired.
    try folder.remove("storage/\(photo)")
    let missing = try await folder.run("doctor --repair --json", status: 1)
    #expect(try report(missing).findings.map { $0["kind"] as? String } == ["missing_file"])
  }

  @Test func `a storage that cannot be read has status 2, and nothing is made`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await folder.run(
      "doctor --json", status: 2, saying: "There is no folder storage that can be read.")
    #expect(try report(outcome).counts["failures"] == 1)
    try await folder.run("doctor --drop-missing", status: 64, saying: "--drop-missing requires --repair.")
    #expect(try folder.contents() == [])

    // Somebody else's folder stays as it is.
    try folder.write("root", to: "storage/passwd")
    chmod("\(folder.path)/storage", 0o755)
    for arguments in ["doctor", "doctor --repair", "doctor --salvage new"] {
      let status: Int32 = arguments.hasSuffix("new") ? 1 : 2
      try await folder.run(arguments, status: status, saying: "There is no storage in ./storage.")
    }
    #expect(try folder.contents() == ["storage", "storage/passwd"] || folder.names(in: "storage") == ["passwd"])
    #expect(try folder.permissions(of: "storage") == 0o755)
    try folder.remove("storage/passwd")

    try folder.write("this is no database, though it is as long as one might be", to: "storage/selfie.sqlite3")
    try await folder.run("doctor", status: 2, saying: "file is not a database")
  }
}
