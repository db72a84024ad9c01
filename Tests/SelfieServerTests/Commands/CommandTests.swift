import Cryptography
import Foundation
import TestSupport
import Testing

/// selfie-server's other commands, and where settings come from.
@Suite(.timeLimit(.minutes(10))) struct CommandTests {
  private func encrypted(_ password: String, by key: String) -> String {
    AESCrypt(password: Array(key.utf8)).encrypt(Array(password.utf8))
  }

  @Test func `secrets come from files of their own, too`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("name\n", to: "name")
    try folder.write("from a file\r\n", to: "password")
    try folder.write("\n", to: "empty")
    func run(_ environment: [String: String], _ flags: [String] = []) async throws -> ServerProcess.Outcome {
      try await ServerProcess.run(["encrypt", "secret12"] + flags, environment: environment, in: folder)
    }
    let files = ["API_AUTH_NAME_FILE": "name", "API_AUTH_PASSWORD_FILE": "password"]
    #expect(try await run(files).output == [encrypted("secret12", by: "from a file")])
    #expect(try await run(files, ["--api-auth-password", "flag"]).output == [encrypted("secret12", by: "flag")])
    try folder.write("API_AUTH_NAME=n\nAPI_AUTH_PASSWORD_FILE=password\n", to: "Config/server.env")
    #expect(try await run([:]).output == [encrypted("secret12", by: "from a file")])
    for (file, message) in [
      ("missing", "API_AUTH_PASSWORD_FILE is missing, and there is no such file."),
      (".", "API_AUTH_PASSWORD_FILE is ., which cannot be read: "),
      ("empty", "API_AUTH_PASSWORD_FILE is empty, and that file is empty"),
    ] {
      let outcome = try await run(["API_AUTH_PASSWORD_FILE": file])
      #expect(outcome.status == 1)
      #expect(outcome.message.contains(message), "\(outcome.message)")
    }
    let both = try await run(["API_AUTH_PASSWORD": "p", "API_AUTH_PASSWORD_FILE": "password"])
    #expect(both.message.contains("API_AUTH_PASSWORD and API_AUTH_PASSWORD_FILE are both set. Set one of them."))
  }

  @Test func `flags go before the environment, that before the file, and that before the defaults`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("API_AUTH_NAME=kept\nAPI_AUTH_PASSWORD=kept\n", to: "storage/credentials.env")
    func output(_ flags: [String] = [], _ environment: [String: String] = [:]) async throws -> [String] {
      let outcome = try await ServerProcess.run(["encrypt", "secret12"] + flags, environment: environment, in: folder)
      #expect(outcome.status == 0, "\(outcome.message)")
      return outcome.output
    }
    #expect(try await output() == [encrypted("secret12", by: "kept")])

    try folder.write(
      "# Comment\n\n API_AUTH_NAME = file\nAPI_AUTH_PASSWORD=\"in the file=#\"\n", to: "Config/server.env")
    #expect(try await output() == [encrypted("secret12", by: "in the file=#")])

    let environment = ["API_AUTH_NAME": "environment", "API_AUTH_PASSWORD": "environment"]
    #expect(try await output([], environment) == [encrypted("secret12", by: "environment")])
    #expect(try await output(["--api-auth-password", "flag"], environment) == [encrypted("secret12", by: "flag")])
    // What is set to nothing is not set.
    let empty = ["API_AUTH_NAME": "", "API_AUTH_PASSWORD": ""]
    #expect(try await output([], empty) == [encrypted("secret12", by: "kept")])

    try folder.write("API_AUTH_NAME=a\nAPI_AUTH_PASSWORD=other\n", to: "other.env")
    #expect(try await output(["--config", "other.env"]) == [encrypted("secret12", by: "other")])
  }

  @Test func `a file's settings reach the server`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("HOST=127.0.0.2\nPUBLIC_URL=https://selfies.example/\n", to: "Config/server.env")
    let server = try ServerProcess(in: folder)
    #expect(await server.output.first { $0.hasPrefix("Listening on http://127.0.0.2:") } != nil)
    #expect(await server.output.first { $0.hasSuffix("BASE_URL = \"https://selfies.example/api\"") } != nil)
    await server.stop()
    let other = try ServerProcess(["serve", "--host", "127.0.0.1"], in: folder)
    #expect(await other.output.first { $0.hasPrefix("Listening on http://127.0.0.1:") } != nil)
    await other.stop()
  }

  @Test func `encrypt reads from standard input, and makes what the app sends`() async throws {
    let key = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"
    let outcome = try await ServerProcess.run(
      ["encrypt"], environment: ["API_AUTH_NAME": "n", "API_AUTH_PASSWORD": key], in: try TemporaryFolder(),
      input: "secret12\n")
    #expect(outcome.output == ["YareGHgQouCl2QNmTjUsyQ=="])
  }

  @Test func `encrypt says what it lacks`() async throws {
    let folder = try TemporaryFolder()
    let noKey = try await ServerProcess.run(["encrypt", "secret12"], in: folder)
    #expect(noKey.status == 1)
    #expect(noKey.message.contains("There is no API_AUTH_PASSWORD yet. Start the server once, or set it."))
    let noPassword = try await ServerProcess.run(
      ["encrypt"], environment: ["API_AUTH_NAME": "n", "API_AUTH_PASSWORD": "p"], in: folder)
    #expect(noPassword.status == 1)
    #expect(noPassword.message.contains("There is no password to encrypt."))
    #expect(try folder.contents().isEmpty)
  }

  @Test func `health tells a server that answers from one that does not`() async throws {
    let server = try ServerProcess(in: try TemporaryFolder())
    let port = "\(try await server.port())"
    let folder = try TemporaryFolder()
    for host in ["127.0.0.1", "0.0.0.0", "localhost"] {
      let outcome = try await ServerProcess.run(["health"], environment: ["PORT": port, "HOST": host], in: folder)
      #expect(outcome.status == 0, "\(outcome.message)")
      #expect(outcome.output.isEmpty)
    }
    await server.stop()
    let outcome = try await ServerProcess.run(["health"], environment: ["PORT": port], in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.message.contains("Nothing listens on 127.0.0.1, port \(port): Connection refused."))
    #expect(try folder.contents().isEmpty)
  }

  @Test(arguments: ["text", "json"])
  func `no secret stands in the log, not even at its finest`(_ format: String) async throws {
    let server = try ServerProcess(
      environment: ["LOG_LEVEL": "trace", "LOG_FORMAT": format], in: try TemporaryFolder())
    let app = try await server.appOfNewUser()
    let first = try #require(app.helper.keychain["Auth_Token"])
    let selfie = try await app.postBtnTapped(image: PNG.random(width: 9, height: 9), title: "a title to hide")
    _ = try await app.helper.download(selfie.url)
    for tail in ["x", "/x", "/", ".png"] { _ = try await app.helper.download(selfie.url + tail) }
    _ = try? await app.makeSignInRequest(email: "jane@example.com", password: "a wrong one")
    _ = try? await app.makeSignUpRequest(name: "\"", email: "quote@example.com", password: "secret12")
    try await app.resetPassword(from: "secret12", to: "secret34")
    let second = try #require(app.helper.keychain["Auth_Token"])
    _ = try await app.loadSelfieData()
    try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
    await server.stop()

    let log = await server.errors.all()
    #expect(log.contains { $0.contains("listening") })
    #expect(log.contains { $0.contains("/api/reset_password") && $0.contains("200") })
    #expect(log.contains { $0.contains("stopped") })
    let credentials = "\(app.helper.apiAuthName):\(app.helper.apiAuthPassword)"
    let secrets =
      ["secret12", "secret34", "a wrong one"] + ["secret12", "secret34", "a wrong one"].map(app.helper.encrypt) + [
        app.helper.apiAuthPassword, Data(credentials.utf8).base64EncodedString(), first, second, selfie.id,
        selfie.title, "$2b$", "jane@example.com",
      ]
    for secret in secrets { #expect(!log.contains { $0.contains(secret) }, "\(secret)") }
    if format == "json" {
      for line in log {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect((object?["time"] as? String)?.count == 24)
        #expect(object?["level"] is String)
        #expect(object?["message"] is String)
      }
    }
  }
}
