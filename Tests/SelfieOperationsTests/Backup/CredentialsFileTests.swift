import SelfieAPI
import SQLite
import TestSupport
import Testing

@testable import SelfieOperations

/// The file with the API's name and password, as a restore takes it.
@Suite struct CredentialsFileTests {
  /// Values that the server and a shell read differently, or that have quotes of their own.
  private static let values = [
    "$(x)", "`x`", "$x", "a b", "a;b", "a&b", "a|b", "a>b", "~", "a\\b", "é", "p\r", "\"$(x)\"", "\"`x`\"", "'a'b'",
    "''",
    "'", "\"a", "a'b'", "",
  ]

  private func storage(_ text: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(text, to: "credentials.env")
    return folder
  }

  @Test(
    arguments: [
      CredentialsFile.text(name: "n", password: "p"), "API_AUTH_PASSWORD=p\nAPI_AUTH_NAME=n",
      "API_AUTH_NAME='a $(b) c'\n\nAPI_AUTH_PASSWORD=\"a b's\"\n", "API_AUTH_NAME=a.b@c-d\nAPI_AUTH_PASSWORD=+/=\n",
    ])
  func `the server's own form is taken, in which a shell reads the same`(text: String) throws {
    let folder = try storage(text)
    #expect(try CredentialsFile.keep(in: StorageLayout(folder: folder.path), skip: nil))
    #expect(try folder.text(of: "credentials.env") == text)
  }

  @Test(
    arguments: [
      "", "\n", "# API_AUTH_NAME=n\n", "API_AUTH_NAME=n\n", "API_AUTH_PASSWORD=p\n",
      "API_AUTH_NAME=n\nAPI_AUTH_NAME=n\nAPI_AUTH_PASSWORD=p\n", "API_AUTH_NAME=n\nAPI_AUTH_PASSWORD=p\nPORT=1\n",
      "API_AUTH_NAME=n\nAPI_AUTH_PASSWORD=p\nrm -rf x\n", "API_AUTH_NAME=n\0\nAPI_AUTH_PASSWORD=p\n",
    ] + values.map { "API_AUTH_NAME=n\nAPI_AUTH_PASSWORD=\($0)\n" })
  func `any other is refused, or left out and named`(text: String) throws {
    let folder = try storage(text)
    let layout = StorageLayout(folder: folder.path)
    let error = #expect(throws: OperationError.self) { try CredentialsFile.keep(in: layout, skip: nil) }
    #expect(error?.description.hasPrefix("credentials.env in the backup ") == true)
    #expect(folder.exists("credentials.env"))
    var skipped: [String] = []
    #expect(try !CredentialsFile.keep(in: layout) { skipped.append($0) })
    #expect(skipped == ["credentials.env"] && !folder.exists("credentials.env"))
  }

  @Test func `a backup with another file is refused before anything is restored`() async throws {
    let storage = try await BackedUpStorage()
    for text in ["", "API_AUTH_NAME=n\nAPI_AUTH_PASSWORD=$(touch x)\n"] {
      try storage.api.folder.write(text, to: "credentials.env")
      try storage.makeTar()
      #expect(throws: OperationError.self) { try storage.restore(storage.file) }
      #expect(try storage.folder.names(in: "restored") == [])
    }
    let found = try storage.restore(storage.file, skipsDamaged: true)
    #expect(!found.hasCredentials && found.photos == 5)
    #expect(await storage.findings() == [])
  }

  @Test func `a password that no sign-in can use is named after a restore, and by the doctor`() async throws {
    let storage = try await BackedUpStorage()
    try await storage.api.application.database.run([
      "UPDATE users SET password_hash = '$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' WHERE id = 1"
    ])
    try storage.makeTar()
    try storage.restore(storage.file)
    let problems = try StorageRestore.passwordProblems(in: "\(storage.folder.path)/restored")
    let problem = try #require(problems.first)
    #expect(problems.count == 1 && problem.contains("the bcrypt cost 31, but the highest is 16"))
    #expect(problem.contains("selfie-server user set-password "))
    let outcome = await CheckOutcome(of: "\(storage.folder.path)/restored", now: storage.api.clock.now)
    #expect(outcome.findings.contains { "\($0)".contains("the bcrypt cost 31") })
  }
}
