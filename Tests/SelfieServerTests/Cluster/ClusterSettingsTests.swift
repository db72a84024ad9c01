import TestSupport
import Testing

/// The settings of a server that keeps accounts in PostgreSQL and photos in S3.
@Suite(.timeLimit(.minutes(10))) struct ClusterSettingsTests {
  private static let secret = "Never1Print2This3"
  private static let settings = [
    "DATABASE_URL": "postgres://selfie:\(secret)@127.0.0.1/selfie", "S3_ENDPOINT": "http://127.0.0.1:9",
    "S3_BUCKET": "photos", "S3_REGION": "eu-central-1", "S3_ACCESS_KEY_ID": "\(secret)ID",
    "S3_SECRET_ACCESS_KEY": "\(secret)Key",
  ]
  private static let credentials = ["API_AUTH_NAME": "name", "API_AUTH_PASSWORD": "0123456789abcdef"]

  /// What the program says that does not start.
  private func message(
    of executable: String = ServerProcess.clusterExecutable, _ environment: [String: String],
    arguments: [String] = ["serve"], in folder: TemporaryFolder? = nil
  ) async throws -> String {
    let folder = try folder ?? TemporaryFolder()
    let before = try folder.contents()
    let outcome = try await ServerProcess.run(arguments, of: executable, environment: environment, in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    #expect(try folder.contents() == before)
    #expect(!outcome.message.contains(Self.secret))
    return outcome.message
  }

  @Test func `the default product names what another one has`() async throws {
    let one = try await message(of: ServerProcess.executable, ["DATABASE_URL": Self.settings["DATABASE_URL"] ?? ""])
    #expect(one.hasPrefix("selfie-server: DATABASE_URL is set, but this program keeps everything in its storage"))
    #expect(one.contains("Install selfie-server-cluster"))
    // Not only a server would use other data than the owner thinks.
    let all = try await message(
      of: ServerProcess.executable, Self.settings.merging(["SWEEP_AFTER": "600", "PORT": "x"]) { $1 },
      arguments: ["user", "list"])
    #expect(
      all.contains(
        "DATABASE_URL, S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, SWEEP_AFTER are set"))
    #expect(all.contains("PORT is \"x\""))
  }

  @Test func `everything that is missing is named at once`() async throws {
    let some = try await message(["DATABASE_URL": Self.settings["DATABASE_URL"] ?? "", "S3_REGION": "eu-central-1"])
    #expect(
      some.contains(
        """
        DATABASE_URL, S3_REGION are set, but S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY are not. \
        Set both PostgreSQL and S3, or neither.
        """), "\(some)")
    #expect(some.contains("API_AUTH_NAME and API_AUTH_PASSWORD are not set, but DATABASE_URL is."), "\(some)")
    let sweep = try await message(["SWEEP_AFTER": "600"])
    #expect(sweep.contains("SWEEP_AFTER is set, but DATABASE_URL, S3_ENDPOINT,"), "\(sweep)")
  }

  @Test func `everything that is wrong is named at once`() async throws {
    let wrong = [
      "S3_ENDPOINT": "127.0.0.1:9000", "S3_BUCKET": "Photos", "S3_REGION": "eu central", "S3_ACCESS_KEY_ID": "a/b",
      "S3_SECRET_ACCESS_KEY": "a b", "S3_ADDRESSING_STYLE": "host", "S3_REDIRECT": "yes", "SWEEP_AFTER": "599",
      "EPHEMERAL": "on", "CONTROL": "on", "BACKUP_DIR": "/tmp", "BACKUP_KEEP": "10", "DATABASE_URL_FILE": "missing",
    ]
    let message = try await message(Self.settings.merging(Self.credentials) { $1 }.merging(wrong) { $1 })
    for problem in [
      "S3_ENDPOINT must be a URL without a path", "S3_BUCKET must have 3 to 63 lower-case letters",
      "S3_REGION must have letters, digits and hyphens only",
      "S3_ACCESS_KEY_ID must have printable ASCII characters only",
      "S3_SECRET_ACCESS_KEY must have printable ASCII characters only",
      "S3_ADDRESSING_STYLE is \"host\". It must be one of path, virtual.",
      "S3_REDIRECT is \"yes\". It must be one of on, off.",
      "SWEEP_AFTER is \"599\". It must be a whole number from 600 to ",
      "EPHEMERAL cannot be set together with DATABASE_URL: servers for tests keep their data in files.",
      "CONTROL cannot be set together with DATABASE_URL: servers for tests keep their data in files.",
      "BACKUP_DIR cannot be set together with DATABASE_URL: the tools of PostgreSQL and of the object store",
      "BACKUP_KEEP cannot be set together with DATABASE_URL: the tools of PostgreSQL and of the object store",
      "DATABASE_URL and DATABASE_URL_FILE are both set.",
    ] {
      #expect(message.contains(problem), "\(problem) is not in: \(message)")
    }
  }

  @Test func `a bucket in the host needs an endpoint with a name, and a bucket without dots under TLS`() async throws {
    let style = Self.credentials.merging(["S3_ADDRESSING_STYLE": "virtual"]) { $1 }
    let numeric = try await message(Self.settings.merging(style) { $1 })
    #expect(numeric.contains("S3_ENDPOINT must have a name, and not a number"), "\(numeric)")
    let endpoint = ["S3_ENDPOINT": "https://s3.example", "S3_BUCKET": "my.photos"]
    let dotted = try await message(Self.settings.merging(style) { $1 }.merging(endpoint) { $1 })
    #expect(dotted.contains("S3_BUCKET must have no dot where it is a part of the host"), "\(dotted)")
  }

  @Test func `no sweep takes an upload that is under way for one that was left behind`() async throws {
    let settings = Self.settings.merging(Self.credentials) { $1 }
    let message = try await message(settings.merging(["SWEEP_AFTER": "2147"]) { $1 })
    #expect(
      message.contains("SWEEP_AFTER is 2147. It must be at least 2148 where MAX_PHOTO_BYTES is 67108864:"),
      "\(message)")
  }

  @Test func `each can come from a file of its own`() async throws {
    let folder = try TemporaryFolder()
    var environment = Self.credentials
    for (name, value) in Self.settings {
      try folder.write("\(name == "S3_BUCKET" ? "Photos" : value)\n", to: name)
      environment["\(name)_FILE"] = name
    }
    let message = try await message(environment, in: folder)
    // All of them were there, and the one that is wrong was read.
    #expect(message.contains("S3_BUCKET must have 3 to 63 lower-case letters"), "\(message)")
    #expect(!message.contains(" not. Set both"), "\(message)")
  }

  @Test func `without them the product serves from its storage folder as the other does`() async throws {
    let server = try ServerProcess(of: ServerProcess.clusterExecutable, in: try TemporaryFolder())
    _ = try await server.port()
    await server.stop()
    #expect(server.folder.exists("storage/selfie.sqlite3"))
  }
}
