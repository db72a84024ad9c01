import TestSupport
import Testing

/// The settings of a server that keeps accounts in PostgreSQL and photos in S3.
@Suite(.timeLimit(.minutes(10))) struct ClusterSettingsTests {
  private static let secret = "Never1Print2This3"
  private static let url = ["DATABASE_URL": "postgres://selfie:\(secret)@127.0.0.1/selfie"]
  private static let settings = url.merging([
    "S3_ENDPOINT": "http://127.0.0.1:9", "S3_BUCKET": "photos", "S3_REGION": "eu-central-1",
    "S3_ACCESS_KEY_ID": "\(secret)ID", "S3_SECRET_ACCESS_KEY": "\(secret)Key",
  ]) { $1 }

  /// Expects a program not to start.
  private func expectRefusal(
    by executable: String = ServerProcess.clusterExecutable, _ environment: [String: String],
    arguments: [String] = ["serve"], saying parts: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let process = try ServerProcess(arguments, of: executable, environment: environment)
    let outcome = await process.outcome(1, saying: parts, sourceLocation)
    #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
    #expect(try process.folder.contents().isEmpty, sourceLocation: sourceLocation)
    #expect(!outcome.message.contains(Self.secret), sourceLocation: sourceLocation)
  }

  @Test func `the default product names what another one has`() async throws {
    try await expectRefusal(
      by: ServerProcess.executable, Self.url,
      saying: [
        "selfie-server: DATABASE_URL is set, but selfie-server keeps everything in its storage",
        "Install selfie-server-cluster",
      ])
    // Not only a server would use other data than the owner thinks.
    try await expectRefusal(
      by: ServerProcess.executable, Self.settings.merging(["SWEEP_AFTER": "600", "PORT": "x"]) { $1 },
      arguments: ["user", "list"],
      saying: [
        "DATABASE_URL, S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, SWEEP_AFTER are set",
        "PORT is \"x\"",
      ])
  }

  private static let partial = [
    """
    DATABASE_URL, S3_REGION are set, but S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY are not. \
    Set both PostgreSQL and S3, or neither.
    """, "API_AUTH_NAME and API_AUTH_PASSWORD are not set, but DATABASE_URL is.",
  ]

  @Test(arguments: [
    (url.merging(["S3_REGION": "eu-central-1"]) { $1 }, partial),
    (["SWEEP_AFTER": "600"], ["SWEEP_AFTER is set, but DATABASE_URL, S3_ENDPOINT,"]),
  ])
  func `everything that is missing is named at once`(
    _ environment: [String: String], _ expected: [String]
  ) async throws {
    try await expectRefusal(environment, saying: expected)
  }

  @Test(
    arguments: [
      (
        [
          "S3_ENDPOINT": "127.0.0.1:9000", "S3_BUCKET": "Photos", "S3_REGION": "eu central", "S3_ACCESS_KEY_ID": "a/b",
          "S3_SECRET_ACCESS_KEY": "a b", "S3_ADDRESSING_STYLE": "host", "S3_REDIRECT": "yes", "SWEEP_AFTER": "599",
          "EPHEMERAL": "on", "CONTROL": "on", "BACKUP_DIR": "/tmp", "BACKUP_KEEP": "10",
          "DATABASE_URL_FILE": "missing",
        ],
        [
          "S3_ENDPOINT must be a URL without a path", "S3_BUCKET must have 3 to 63 lower-case letters",
          "S3_REGION must have letters, digits and hyphens only",
          "S3_ACCESS_KEY_ID must have printable ASCII characters only",
          "S3_SECRET_ACCESS_KEY must have printable ASCII characters only",
          "S3_ADDRESSING_STYLE is \"host\". It must be one of path, virtual.",
          "S3_REDIRECT is \"yes\". It must be one of on, off.",
          "SWEEP_AFTER is \"599\". It must be a whole number from 600 to ",
          "EPHEMERAL cannot be set together with DATABASE_URL: test servers keep their data in files.",
          "CONTROL cannot be set together with DATABASE_URL: test servers keep their data in files.",
          "BACKUP_DIR cannot be set together with DATABASE_URL: back up a cluster with the tools of",
          "BACKUP_KEEP cannot be set together with DATABASE_URL: back up a cluster with the tools of",
          "DATABASE_URL and DATABASE_URL_FILE are both set.",
        ]
      ),
      // `ObjectStoreSettingsTests` has what else a bucket in the host needs.
      (["S3_ADDRESSING_STYLE": "virtual"], ["S3_ENDPOINT must have a name, and not a number"]),
      // No sweep takes an upload that is under way for one that was left behind.
      (
        ["SWEEP_AFTER": "2147"],
        ["SWEEP_AFTER is 2147. It must be at least 2148 where MAX_PHOTO_BYTES is 67108864:"]
      ),
    ] as [([String: String], [String])])
  func `everything that is wrong is named at once`(_ wrong: [String: String], _ expected: [String]) async throws {
    let settings = Self.settings.merging(TestCluster.credentials) { $1 }
    try await expectRefusal(settings.merging(wrong) { $1 }, saying: expected)
  }

  @Test func `without them the product serves from its storage folder as the other does`() async throws {
    let server = try await ServerProcess(of: ServerProcess.clusterExecutable).listening()
    await server.stop()
    #expect(server.folder.exists("storage/selfie.sqlite3"))
  }
}
