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
    func output(_ environment: [String: String]) async throws -> [String] {
      try await ServerProcess.run(["encrypt", "secret12"], environment: environment, in: folder).output
    }
    let files = ["API_AUTH_NAME_FILE": "name", "API_AUTH_PASSWORD_FILE": "password"]
    #expect(try await output(files) == [encrypted("secret12", by: "from a file")])
    try folder.write("API_AUTH_NAME=n\nAPI_AUTH_PASSWORD_FILE=password\n", to: "Config/server.env")
    #expect(try await output([:]) == [encrypted("secret12", by: "from a file")])
    for (environment, message) in [
      (["API_AUTH_PASSWORD_FILE": "missing"], "API_AUTH_PASSWORD_FILE is missing, but there is no such file."),
      (["API_AUTH_PASSWORD_FILE": "."], "API_AUTH_PASSWORD_FILE is ., which cannot be read: "),
      (["API_AUTH_PASSWORD_FILE": "empty"], "API_AUTH_PASSWORD_FILE is empty, but that file is empty"),
      (
        ["API_AUTH_PASSWORD": "p", "API_AUTH_PASSWORD_FILE": "password"],
        "API_AUTH_PASSWORD and API_AUTH_PASSWORD_FILE are both set. Set one of them."
      ),
    ] {
      try await folder.run("encrypt secret12", environment: environment, status: 1, saying: message)
    }
  }

  @Test func `flags go before the environment, that before the file, and that before the defaults`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("API_AUTH_NAME=kept\nAPI_AUTH_PASSWORD=elsewhere\n", to: "other/credentials.env")
    try folder.write("API_AUTH_NAME=kept\nAPI_AUTH_PASSWORD=kept\n", to: "storage/credentials.env")
    func output(_ flags: [String] = [], _ environment: [String: String] = [:]) async throws -> [String] {
      try await ServerProcess.run(["encrypt", "secret12"] + flags, environment: environment, in: folder).output
    }
    #expect(try await output() == [encrypted("secret12", by: "kept")])
    let elsewhere = ["STORAGE_DIR": "other"]
    #expect(try await output([], elsewhere) == [encrypted("secret12", by: "elsewhere")])
    #expect(try await output(["--storage-dir", "storage"], elsewhere) == [encrypted("secret12", by: "kept")])

    try folder.write(
      "# Comment\n\n API_AUTH_NAME = file\nAPI_AUTH_PASSWORD=\"in the file=#\"\n", to: "Config/server.env")
    #expect(try await output() == [encrypted("secret12", by: "in the file=#")])

    let environment = ["API_AUTH_NAME": "environment", "API_AUTH_PASSWORD": "environment"]
    #expect(try await output([], environment) == [encrypted("secret12", by: "environment")])
    // What is set to nothing is not set.
    let empty = ["API_AUTH_NAME": "", "API_AUTH_PASSWORD": ""]
    #expect(try await output([], empty) == [encrypted("secret12", by: "kept")])

    try folder.write("API_AUTH_NAME=a\nAPI_AUTH_PASSWORD=other\n", to: "other.env")
    #expect(try await output(["--config", "other.env"]) == [encrypted("secret12", by: "other")])
  }

  @Test func `encrypt reads from standard input, makes what the app sends, and says what it lacks`() async throws {
    let folder = try TemporaryFolder()
    let key = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"
    let environment = ["API_AUTH_NAME": "n", "API_AUTH_PASSWORD": key]
    let outcome = try await folder.run("encrypt", environment: environment, input: "secret12\n")
    #expect(outcome.output == ["YareGHgQouCl2QNmTjUsyQ=="])
    try await folder.run(
      "encrypt secret12", status: 1,
      saying: "There is no API_AUTH_PASSWORD yet. Start the server once to generate it, or set it.")
    try await folder.run(
      "encrypt", environment: environment, status: 1,
      saying: "There is no password to encrypt. Pass it as an argument or on standard input.")
    #expect(try folder.contents().isEmpty)
  }

  @Test func `health tells a server that answers from one that does not`() async throws {
    let server = try ServerProcess()
    let port = "\(try await server.port())"
    let folder = try TemporaryFolder()
    for host in ["127.0.0.1", "0.0.0.0", "localhost"] {
      let outcome = try await folder.run("health", environment: ["PORT": port, "HOST": host])
      #expect(outcome.output.isEmpty)
    }
    await server.stop()
    try await folder.run(
      "health", environment: ["PORT": port], status: 1,
      saying: "Nothing listens on 127.0.0.1, port \(port): Connection refused.")
    #expect(try folder.contents().isEmpty)
  }

  @Test(arguments: ["::1", "[::1]", "::", "*"])
  func `health asks at an IPv6 address, and where a server listens on all`(host: String) async throws {
    let server = try ServerProcess(environment: ["HOST": host])
    let port = "\(try await server.port())"
    try await server.folder.run("health", environment: ["PORT": port, "HOST": host])
    let constants = try await server.folder.run("constants", environment: ["HOST": host])
    #expect(constants.output.contains { $0.contains(host.contains("1") ? "//[::1]:" : "//localhost:") })
  }

  @Test(arguments: [
    ["user", "create", "ada@example.com", "--generate"], ["user", "list"], ["constants"],
    ["doctor", "--json", "--quick"],
  ])
  func `output that the disk has no room for is an error`(_ arguments: [String]) async throws {
    let server = try await ServerProcess().listening()
    await server.stop()
    let outcome = try await ServerProcess.run(arguments, in: server.folder, shell: "exec >/dev/full", status: 1)
    #expect(
      outcome.message.contains("What it printed is lost: standard output: No space left on device."), "\(outcome)")
    // A reader that has seen enough is none.
    try await ServerProcess.run(arguments.first == "user" ? ["user", "list"] : arguments, in: server.folder)
  }

  @Test(arguments: ["text", "json"])
  func `no secret stands in the log, not even at its finest`(_ format: String) async throws {
    let server = try ServerProcess(environment: ["LOG_LEVEL": "trace", "LOG_FORMAT": format])
    let app = try await server.appOfNewUser()
    let first = try #require(app.token)
    let selfie = try await app.postBtnTapped(image: PNG.random(243), title: "a title to hide")
    _ = try await app.download(selfie.url)
    for tail in ["x", "/x", "/", ".png"] { _ = try await app.download(selfie.url + tail) }
    _ = try? await app.makeSignInRequest(password: "a wrong one")
    _ = try? await app.makeSignUpRequest(name: "\"", email: "quote@example.com")
    try await app.resetPassword(to: "secret34")
    let second = try #require(app.token)
    _ = try await app.loadSelfieData()
    try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
    await server.stop()

    let log = await server.errors.all()
    #expect(log.contains { $0.contains("/api/reset_password") && $0.contains("200") })
    let passwords = ["secret12", "secret34", "a wrong one"]
    let secrets =
      passwords + passwords.map(app.requests.encrypt) + [
        app.requests.password, AppRequest.basic(app.requests.name, app.requests.password), first, second, selfie.id,
        selfie.title, "$2b$", "jane@example.com",
      ]
    for secret in secrets { #expect(!log.contains { $0.contains(secret) }, "\(secret)") }
  }
}
