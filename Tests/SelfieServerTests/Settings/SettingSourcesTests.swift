import Cryptography
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SettingSourcesTests {
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
}
