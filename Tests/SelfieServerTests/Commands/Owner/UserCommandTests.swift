import Foundation
import Glibc
import TestSupport
import Testing

/// `selfie-server user`, with a server that runs and without.
@Suite(.timeLimit(.minutes(10))) struct UserCommandTests {
  @Test(arguments: [true, false]) func `each command changes a user, and a server logs it`(
    isRunning: Bool
  ) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    try await createAda(in: storage)
    try await disableAndEnableJane(in: storage)
    let password = try await generateJanesPassword(in: storage)
    try await deleteJane(in: storage)
    if isRunning { await storage.stop() }
    let log = await storage.server.errors.all()
    for secret in [password, "secret12", "$2b$", "jane@", "ada@"] {
      #expect(!log.contains { $0.contains(secret) }, "\(secret)")
    }
    guard isRunning else { return }
    for words in [
      "user create event=owners_command user=a…@example.com user_id=2",
      "user sign-out event=owners_command tokens=1 user=a…@example.com user_id=2",
      "user disable event=owners_command user=j…@example.com user_id=1",
      "user enable event=owners_command user=j…@example.com user_id=1",
      "user set-password event=owners_command tokens=1 user=j…@example.com user_id=1",
      "user delete event=owners_command photos=1 user=j…@example.com user_id=1",
    ] {
      #expect(log.contains { $0.hasSuffix("owner's command: \(words)") }, "\(words) is not in \(log)")
    }
    #expect(log.count { $0.contains("owner's command") } == 6)
  }

  /// Creates a user, who can sign in until signed out.
  private func createAda(in storage: OwnedStorage) async throws {
    let create = ["user", "create", "ada@example.com", "--name", "Ada King Lovelace"]
    let made = try await storage.run(create, input: "secret12")
    #expect(made.output == ["ada@example.com can sign in now."])
    let again = try await storage.run(
      create, input: "secret12\n", status: 1, saying: "selfie-server: There is already a user with this email address.")
    #expect(again.output.isEmpty)
    let users = try await storage.json(["user", "list"])
    #expect(users.map { $0["email"] as? String } == ["ada@example.com", "jane@example.com"])
    #expect(users[0]["first_name"] as? String == "Ada" && users[0]["last_name"] as? String == "Lovelace")
    #expect(users[1]["photos"] as? Int == 1)
    try await storage.withApp { try await $0.makeSignInRequest(email: "ada@example.com") }
    let signedOut = try await storage.run(["user", "sign-out", "ada@example.com"])
    #expect(signedOut.output == ["1 token of ada@example.com ended."])
  }

  /// Disables a user, whose app is refused until the user is enabled.
  private func disableAndEnableJane(in storage: OwnedStorage) async throws {
    let disabled = try await storage.run(["user", "disable", "jane@example.com"])
    #expect(disabled.output == ["jane@example.com is disabled."], "\(disabled)")
    #expect(try await storage.json(["user", "list"]).last?["disabled_at"] is String)
    #expect(try await storage.run(["user", "list"]).output.last?.hasSuffix("  disabled") == true)
    try await storage.withApp { _ in
      await #expect(throws: TutorialApp.Alert.self) { try await storage.jane.loadSelfieData() }
    }
    let enabled = try await storage.run(["user", "enable", "jane@example.com"])
    #expect(enabled.output == ["jane@example.com is enabled."], "\(enabled)")
    #expect(try await storage.json(["user", "list"]).last?["disabled_at"] is NSNull)
    try await storage.withApp { _ in
      let selfies = try await storage.jane.loadSelfieData()
      #expect(selfies.count == 1)
    }
  }

  /// Gives a user a new password, which ends all tokens.
  private func generateJanesPassword(in storage: OwnedStorage) async throws -> String {
    let outcome = try await storage.run(
      ["user", "set-password", "jane@example.com", "--generate"],
      saying: "jane@example.com has a new password, and 1 token ended.")
    try #require(outcome.output.count == 1)
    let password = outcome.output[0]
    #expect(password.count == 16 && password.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    #expect(try await storage.json(["token", "list", "jane@example.com"]).isEmpty)
    try await storage.withApp { app in
      await #expect(throws: TutorialApp.Alert.self) { try await storage.jane.loadSelfieData() }
      await #expect(throws: TutorialApp.Alert.self) { try await app.makeSignInRequest() }
      try await app.makeSignInRequest(password: password)
      #expect(try await app.loadSelfieData().count == 1)
    }
    return password
  }

  /// Deletes a user with everything, once that is confirmed.
  private func deleteJane(in storage: OwnedStorage) async throws {
    let delete = ["user", "delete", "jane@example.com"]
    try await storage.run(delete, status: 1, saying: "for good? To confirm, pass --yes.")
    #expect(try await storage.json(["user", "list"]).count == 2)
    let deleted = try #require(try await storage.run(delete + ["--yes"]).output.first)
    #expect(deleted.hasPrefix("jane@example.com is deleted, with 1 photo ("), "\(deleted)")
    #expect(deleted.hasSuffix("), 0 notes and 1 token."), "\(deleted)")
    #expect(try storage.folder.files(in: "storage/photos").isEmpty)
    #expect(try await storage.json(["user", "list"]).map { $0["email"] as? String } == ["ada@example.com"])
    try await storage.run(
      delete + ["--yes"], status: 1, saying: "There is no user with the email address jane@example.com.")
  }

  @Test func `what is wrong or refused has a status of its own, and says so on standard error`() async throws {
    let storage = try await OwnedStorage()
    for (arguments, input, status, message) in [
      (["user", "list", "--limit", "0"], "", 64, "--limit must be from 1 to 100000."),
      (["user", "show"], "", 64, "Missing expected argument '<email>'"),
      (["user", "list", "--jsn"], "", 64, "Did you mean '--json'?"),
      (["photo", "export", "x", ""], "", 64, "The file needs a name."),
      (["user", "show", "nobody@example.com"], "", 1, "There is no user with the email address nobody@example.com."),
      (["user", "show", "a\u{1b}[31m/../ü"], "", 1, "There is no user with the email address a\\u{1b}[31m/../ü."),
      (["user", "create", "no address"], "secret12", 1, "email - is invalid."),
      (["user", "create", "a@b.c"], "short", 1, "password - is too short (minimum is 6 characters)."),
      (["user", "create", "a@b.c"], "", 1, "Standard input contains no password."),
      (["user", "show", "Jane@Example.com"], "", 1, "Jane@Example.com. Did you mean jane@example.com?"),
      (["user", "show", "jaen@example.com"], "", 1, "jaen@example.com. Did you mean jane@example.com?"),
      (["user", "list", "--sort", "size"], "", 1, "has a member size. The members are bytes, created_at,"),
      (["user", "set-password", "nobody@example.com"], "", 1, "There is no user with the email address nobody@"),
      (["token", "revoke", "0123456"], "", 1, "There is no token 0123456."),
      (["photo", "show", "../../etc/passwd"], "", 1, "There is no photo with this random_id."),
    ] as [([String], String, Int32, String)] {
      let outcome = try await storage.run(arguments, input: input, status: status, saying: message)
      #expect(outcome.output.isEmpty, "\(arguments): \(outcome)")
    }
    await storage.stop()
    let elsewhere = try TemporaryFolder()
    try await elsewhere.run("user list", status: 1)
    #expect(try elsewhere.contents().isEmpty)
    try elsewhere.makeFolder("storage")
    try await elsewhere.run("user list", status: 1, saying: "There is no storage in ./storage.")
    #expect(try elsewhere.contents() == ["storage"])
  }

  @Test func `a list is searched, sorted, and on a terminal in colour and as wide as that`() async throws {
    let storage = try await OwnedStorage(isRunning: false)
    try await storage.run(["user", "create", "ada@example.com", "--name", "Ada King Lovelace"], input: "secret12")
    #expect(try await storage.json(["user", "list", "LOVE"]).map { $0["email"] as? String } == ["ada@example.com"])
    func first(_ arguments: String...) async throws -> Substring? {
      try await storage.run(["user", "list"] + arguments).output[1].split(separator: " ").first
    }
    #expect(try await first() == "ada@example.com")
    #expect(try await first("--sort", "photos", "--limit", "1") == "jane@example.com")
    try await storage.run(["user", "list", "--sort", "beauty"], status: 1, saying: "has a member beauty.")
    for token in try await storage.json(["token", "list"]) {
      try await storage.run(["token", "revoke", try #require(token["id"] as? String)])
    }
    #expect(try await storage.run(["token", "list"]).output == ["There are no valid tokens."])

    for (environment, title) in [([:], "\u{1b}[1mEMAIL "), (["NO_COLOR": "1"], "EMAIL ")] {
      let terminal = try PseudoTerminal()
      var size = winsize(ws_row: 24, ws_col: 60, ws_xpixel: 0, ws_ypixel: 0)
      #expect(ioctl(terminal.descriptor, UInt(TIOCSWINSZ), &size) == 0)
      let command = try Program(
        ServerProcess.executable, ["user", "list", "--home", "."], environment: environment, in: storage.folder.path,
        output: terminal.descriptor, errors: terminal.descriptor)
      let screen = try await terminal.awaitText("Ada Lov…")
      #expect(screen.hasPrefix(title), "\(screen.debugDescription)")
      #expect(try await Blocking.run { command.end() } == 0)
    }
  }

  @Test func `addresses that differ in case only are pointed out, by doctor too`() async throws {
    let storage = try await OwnedStorage()
    for email in ["Jane@example.com", "JANE@example.com"] {
      try await storage.run(["user", "create", email], input: "secret12")
    }
    let sentence = "3 accounts have addresses that differ only in case, such as JANE@example.com and jane@example.com."
    let list = try await storage.run(["user", "list"])
    #expect(list.errors.count == 1 && list.message.hasPrefix(sentence), "\(list)")
    let doctor = try await storage.run(["doctor", "--quick"])
    #expect(doctor.output.first?.hasPrefix("note: \(sentence)") == true, "\(doctor)")
    let json = try await storage.run(["doctor", "--quick", "--json"])
    #expect(json.output.joined().contains(#""remarks":["\#(sentence) "#), "\(json)")
  }

  @Test func `a hostile name cannot leave its cell, and a list says how much it leaves out`() async throws {
    let storage = try await OwnedStorage()
    let email = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}@example.com"
    try await storage.run(["user", "create", email, "--name", "Eve \u{1b}[2J\tb\nc\rd"], input: "secret12")
    let table = try await storage.run(["user", "list"])
    #expect(table.output.count == 3, "\(table)")
    let text = table.output.joined()
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e || $0.value == 0x7f })
    #expect(text.contains("\\u{1b}]0;owned\\u{7}\\u{9b}31m"), "\(text)")
    let json = try await storage.run(["user", "show", email, "--json"])
    #expect(json.output.joined().contains(#"\u009b31m\u202e@example.com""#), "\(json)")
    #expect(try await storage.json(["user", "list"]).first?["email"] as? String == email)

    let some = try await storage.run(["user", "list", "--limit", "1"])
    #expect(some.output.count == 2)
    #expect(some.errors == ["1 of 2 users are shown. To see more, pass --limit."])
    #expect(try await storage.run(["user", "list", "--limit", "2", "--json"]).errors.isEmpty)
  }
}

/// A user's deletion happens as a whole or not at all, whenever the process is killed that carries it out.
@Suite(.timeLimit(.minutes(10))) struct UserDeletionCrashTests {
  private static let photoCount = 20

  private func storage(isRunning: Bool) async throws -> OwnedStorage {
    let storage = try await OwnedStorage()
    for _ in 1..<Self.photoCount {
      try await storage.jane.postBtnTapped(image: PNG.random(100))
    }
    if !isRunning { await storage.stop() }
    return storage
  }

  /// Either the user has all photos, or neither the user nor any file is there.
  private func expectWhole(_ storage: OwnedStorage) async throws {
    let users = try await storage.json(["user", "list"])
    if let jane = users.first {
      #expect(jane["photos"] as? Int == Self.photoCount)
      #expect(try storage.folder.files(in: "storage/photos").count == Self.photoCount)
    } else {
      #expect(try await storage.json(["photo", "list"]).isEmpty)
      // A server that starts removes what a deletion has left.
      try await waitUntil { try storage.folder.files(in: "storage/photos").isEmpty }
    }
    try await storage.run(["doctor"])
  }

  @Test(arguments: [true, false], [true, false])
  func `whenever the server, or a command without one, is killed, the deletion is whole`(
    isRunning: Bool, whileFilesGo: Bool
  ) async throws {
    let storage = try await storage(isRunning: isRunning)
    let command = try ServerProcess(["user", "delete", "jane@example.com", "--yes"], in: storage.folder)
    func filesGo() throws -> Bool { try storage.folder.files(in: "storage/photos").count < Self.photoCount }
    if whileFilesGo {
      try await waitUntil(filesGo)
    } else if isRunning {
      try await storage.server.logged("owner's command: user delete")
    } else {
      try await waitUntil { try storage.folder.text(of: "storage/lock").contains("pid \(command.pid)\n") || filesGo() }
    }
    if isRunning { await storage.kill() } else { command.signal(SIGKILL) }
    _ = await command.status()
    _ = try await storage.app()
    // The server logs a command once it has deleted the rows.
    if isRunning || whileFilesGo { #expect(try await storage.json(["user", "list"]).isEmpty) }
    try await expectWhole(storage)
  }
}
