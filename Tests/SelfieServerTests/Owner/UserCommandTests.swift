import Foundation
import Glibc
import TestSupport
import Testing

/// `selfie-server user`, with a server that runs and without.
@Suite(.timeLimit(.minutes(10))) struct UserCommandTests {
  @Test(arguments: [true, false]) func `a user who is made by the owner can sign in`(isRunning: Bool) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    let made = try await storage.run(
      ["user", "create", "ada@example.com", "--name", "Ada King Lovelace"], input: "secret12")
    #expect(made.status == 0, "\(made)")
    #expect(made.output == ["ada@example.com can sign in now."])
    let again = try await storage.run(["user", "create", "ada@example.com"], input: "secret12\n")
    #expect(again.status == 1)
    #expect(again.output.isEmpty)
    #expect(again.message.contains("selfie-server: email - has already been taken."), "\(again)")
    let users = try await storage.json(["user", "list"])
    #expect(users.map { $0["email"] as? String } == ["ada@example.com", "jane@example.com"])
    #expect(users[0]["first_name"] as? String == "Ada")
    #expect(users[0]["last_name"] as? String == "Lovelace")
    #expect(users[1]["photos"] as? Int == 1)

    let app = try await storage.app()
    try await app.makeSignInRequest(email: "ada@example.com", password: "secret12")
    await storage.stop()
  }

  @Test(arguments: [true, false]) func `a generated password is one word, which the app takes, and ends the tokens`(
    isRunning: Bool
  ) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    let outcome = try await storage.run(["user", "set-password", "jane@example.com", "--generate"])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.errors.last == "jane@example.com has a new password, and 1 token ended.")
    try #require(outcome.output.count == 1)
    let password = outcome.output[0]
    #expect(password.count == 16 && password.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    #expect(try await storage.json(["token", "list"]).isEmpty)

    let app = try await storage.app()
    await #expect(throws: TutorialApp.Alert.self) { try await storage.jane.loadSelfieData() }
    await #expect(throws: TutorialApp.Alert.self) {
      try await app.makeSignInRequest(email: "jane@example.com", password: "secret12")
    }
    try await app.makeSignInRequest(email: "jane@example.com", password: password)
    #expect(try await app.loadSelfieData().count == 1)
    await storage.stop()
    #expect(await !storage.log().contains { $0.contains(password) })
  }

  @Test(arguments: [true, false]) func `a deleted user leaves nothing, and the command says how much there was`(
    isRunning: Bool
  ) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    _ = try await storage.run(["user", "create", "ada@example.com"], input: "secret12\n")
    #expect(try storage.folder.files(in: "storage/photos").count == 1)
    let refused = try await storage.run(["user", "delete", "jane@example.com"])
    #expect(refused.status == 1)
    #expect(refused.message.contains("for good? Give --yes if so."), "\(refused)")
    #expect(try await storage.json(["user", "list"]).count == 2)

    let outcome = try await storage.run(["user", "delete", "jane@example.com", "--yes"])
    #expect(outcome.status == 0, "\(outcome)")
    let sentence = "jane@example.com is deleted, with 1 photo ("
    #expect(outcome.output.first?.hasPrefix(sentence) == true, "\(outcome)")
    #expect(outcome.output.first?.hasSuffix("), 0 notes and 1 token.") == true, "\(outcome)")
    #expect(try storage.folder.files(in: "storage/photos").isEmpty)
    #expect(try await storage.json(["user", "list"]).map { $0["email"] as? String } == ["ada@example.com"])
    let again = try await storage.run(["user", "delete", "jane@example.com", "--yes"])
    #expect(again.status == 1)
    #expect(again.message.contains("There is no user with the email jane@example.com."), "\(again)")
    await storage.stop()
  }

  @Test(arguments: [true, false]) func `a disabled user is kept out, and let in again as before`(
    isRunning: Bool
  ) async throws {
    let storage = try await OwnedStorage(isRunning: isRunning)
    let disabled = try await storage.run(["user", "disable", "jane@example.com"])
    #expect(disabled.output == ["jane@example.com is disabled."], "\(disabled)")
    #expect(try await storage.json(["user", "list"]).first?["disabled_at"] is String)
    #expect(try await storage.run(["user", "list"]).output.last?.hasSuffix("  disabled") == true)
    _ = try await storage.app()
    await #expect(throws: TutorialApp.Alert.self) { try await storage.jane.loadSelfieData() }
    if !isRunning { await storage.stop() }

    let enabled = try await storage.run(["user", "enable", "jane@example.com"])
    #expect(enabled.output == ["jane@example.com is enabled."], "\(enabled)")
    #expect(try await storage.json(["user", "list"]).first?["disabled_at"] is NSNull)
    if !isRunning { _ = try await storage.app() }
    #expect(try await storage.jane.loadSelfieData().count == 1)
    await storage.stop()
    #expect(try await storage.run(["user", "disable", "nobody@example.com"]).status == 1)
  }

  @Test func `each change is a line of the log, without a secret`() async throws {
    let storage = try await OwnedStorage(isRunning: true)
    let photo = try #require(try await storage.json(["photo", "list"]).first?["random_id"] as? String)
    for (arguments, input) in [
      (["user", "create", "ada@example.com"], "secret12"), (["user", "set-password", "ada@example.com"], "secret34"),
      (["user", "sign-out", "jane@example.com"], ""), (["photo", "delete", photo, "--yes"], ""),
      (["user", "delete", "ada@example.com", "--yes"], ""),
    ] {
      let outcome = try await storage.run(arguments, input: input)
      #expect(outcome.status == 0, "\(outcome)")
    }
    await storage.stop()
    let log = await storage.log()
    for words in [
      "owner's command: user create event=owners_command user=a…@example.com user_id=2",
      "owner's command: user set-password event=owners_command tokens=0 user=a…@example.com user_id=2",
      "owner's command: user sign-out event=owners_command tokens=1 user=j…@example.com user_id=1",
      "owner's command: photo delete event=owners_command photo=\(photo.prefix(8))… user=j…@example.com user_id=1",
      "owner's command: user delete event=owners_command photos=0 user=a…@example.com user_id=2",
    ] {
      #expect(log.contains { $0.hasSuffix(words) }, "\(words) is not in \(log)")
    }
    #expect(log.filter { $0.contains("owner's command") }.count == 5)
    for secret in ["secret12", "secret34", photo, "$2b$", "jane@", "ada@"] {
      #expect(!log.contains { $0.contains(secret) })
    }
  }

  @Test func `what is wrong or refused has a status of its own, and says so on standard error`() async throws {
    let storage = try await OwnedStorage(isRunning: true)
    for (arguments, input, status, message) in [
      (["user", "list", "--limit", "0"], "", 64, "--limit is from 1 to 100000."),
      (["user", "show"], "", 64, "Missing expected argument '<email>'"),
      (["user", "list", "--jsn"], "", 64, "Did you mean '--json'?"),
      (["photo", "export", "x", ""], "", 64, "The file needs a name."),
      (["user", "show", "nobody@example.com"], "", 1, "There is no user with the email nobody@example.com."),
      (["user", "show", "a\u{1b}[31m/../ü"], "", 1, "There is no user with the email a\\u{1b}[31m/../ü."),
      (["user", "create", "no address"], "secret12", 1, "email - is invalid."),
      (["user", "create", "a@b.c"], "short", 1, "password - is too short (minimum is 6 characters)."),
      (["user", "create", "a@b.c"], "", 1, "Standard input has no password."),
      (["user", "set-password", "nobody@example.com"], "", 1, "There is no user with the email nobody@example.com."),
      (["token", "revoke", "0123456"], "", 1, "There is no token 0123456."),
      (["photo", "show", "../../etc/passwd"], "", 1, "There is no photo of this random_id."),
    ] as [([String], String, Int32, String)] {
      let outcome = try await storage.run(arguments, input: input)
      #expect(outcome.status == status, "\(arguments): \(outcome)")
      #expect(outcome.output.isEmpty, "\(arguments): \(outcome)")
      #expect(outcome.message.contains(message), "\(arguments): \(outcome)")
    }
    await storage.stop()
    let elsewhere = try TemporaryFolder()
    let outcome = try await ServerProcess.run(["user", "list"], in: elsewhere)
    #expect(outcome.status == 1)
    #expect(try elsewhere.contents().isEmpty)
    try elsewhere.makeFolder("storage")
    let empty = try await ServerProcess.run(["user", "list"], in: elsewhere)
    #expect(empty.status == 1)
    #expect(empty.message.contains("storage is no server's storage. Start the server once"), "\(empty)")
    #expect(try elsewhere.contents() == ["storage"])
  }

  @Test func `addresses that differ in case only are pointed out, by doctor too`() async throws {
    let storage = try await OwnedStorage(isRunning: true)
    _ = try await storage.run(["user", "create", "Jane@example.com"], input: "secret12")
    let sentence = "2 accounts have addresses that differ in case only, such as Jane@example.com and jane@example.com."
    let list = try await storage.run(["user", "list"])
    #expect(list.errors.count == 1 && list.message.hasPrefix(sentence), "\(list)")
    let doctor = try await storage.run(["doctor", "--quick"])
    #expect(doctor.output.first?.hasPrefix("note: \(sentence)") == true, "\(doctor)")
    #expect(doctor.status == 0)
    let json = try await storage.run(["doctor", "--quick", "--json"])
    #expect(json.output.joined().contains(#""remarks":["\#(sentence) "#), "\(json)")
    await storage.stop()
  }

  @Test func `hostile names cannot leave their cells, and a list says how much it leaves out`() async throws {
    let storage = try await OwnedStorage(isRunning: true)
    let control = "\u{9b}31m\u{202e}@example.com"
    for (email, name) in [
      ("\u{1b}]0;owned\u{7}@example.com", "Eve \u{1b}[2J"), ("tab@example.com", "a\tb\nc\rd"),
      (control, "A " + String(repeating: "w", count: 200)),
    ] {
      let outcome = try await storage.run(["user", "create", email, "--name", name], input: "secret12")
      #expect(outcome.status == 0, "\(outcome)")
    }
    let table = try await storage.run(["user", "list"])
    #expect(table.output.count == 5, "\(table)")
    let text = table.output.joined()
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202e || $0.value == 0x7f })
    #expect(text.contains("\\u{1b}]0;owned\\u{7}@example.com"))
    let json = try await storage.run(["user", "show", control, "--json"])
    #expect(json.output.joined().contains(#""email":"\u009b31m\u202e@example.com""#), "\(json)")
    #expect(try await storage.json(["user", "list"]).contains { $0["email"] as? String == control })

    let some = try await storage.run(["user", "list", "--limit", "2"])
    #expect(some.output.count == 3)
    #expect(some.errors == ["2 of 4 users are shown. --limit shows more."])
    #expect(try await storage.run(["user", "list", "--limit", "4", "--json"]).errors.isEmpty)
    await storage.stop()
  }
}
