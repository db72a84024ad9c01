import Foundation
import Glibc
import SQL
import SQLite
import SelfieAPI
import TestSupport
import Testing

/// A server that cannot serve says why and what to do, with status 1, and leaves nothing half done.
@Suite(.timeLimit(.minutes(10))) struct BadStartTests {
  private func expectFailure(
    _ arguments: [String] = ["serve"], environment: [String: String] = [:], in folder: TemporaryFolder? = nil,
    saying parts: [String], leaving names: [String]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    let before = try folder.contents()
    let outcome = try await ServerProcess(arguments, environment: environment, in: folder)
      .outcome(1, saying: parts, sourceLocation)
    #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
    #expect(outcome.message.hasPrefix("selfie-server: "), sourceLocation: sourceLocation)
    #expect(try folder.contents() == names ?? before, sourceLocation: sourceLocation)
  }

  @Test func `every malformed setting is named at once`() async throws {
    let wrong = [
      "PORT": "http", "TOKEN_LIFETIME": "0", "REFRESH_LIFETIME": "-1", "PASSWORD_COST": "3", "MAX_PHOTO_BYTES": "-1",
      "MAX_PHOTOS": "0", "MEMORY_LIMIT": "1000", "LOG_LEVEL": "loud", "HOME_PAGE": "perhaps", "LOG_FORMAT": "xml",
      "LOG_REQUESTS": "some", "PUBLIC_URL": "selfies.example", "API_AUTH_NAME": "name", "SIGNUP": "maybe",
      "API_AUTH_PASSWORD_PREVIOUS": "x", "CORS_ORIGINS": "https://app.example/path", "USER_QUOTA": "500MB",
      "STORAGE_QUOTA": "-1", "METRICS": "9464",
    ]
    try await expectFailure(
      environment: wrong, saying: wrong.keys.map { $0 == "API_AUTH_NAME" ? $0 : "\($0) is" })
  }

  @Test(arguments: [
    (
      [
        "PORT": "65536", "API_AUTH_PASSWORD": "x", "CONTROL_PASSWORD": "x", "TLS_KEY": "x", "ACME_WEBROOT": "nowhere",
        "BACKUP_EVERY": "1h",
      ],
      [
        "PORT is \"65536\". It must be a whole number from 0 to 65535.", "API_AUTH_NAME is not", "CONTROL_NAME is not",
        "TLS_CERTIFICATE is not", "ACME_WEBROOT is nowhere", "BACKUP_DIR is not",
      ]
    ),
    (
      [
        "API_AUTH_NAME": "a:b", "API_AUTH_PASSWORD": "x", "CONTROL_NAME": "a:b", "CONTROL_PASSWORD": "x",
        "TLS_CERTIFICATE": "x", "BACKUP_DIR": "x", "BACKUP_KEEP": "all",
      ],
      [
        "API_AUTH_NAME must not contain a colon.", "CONTROL_NAME must not contain a colon.", "TLS_KEY is not",
        "BACKUP_KEEP is \"all\"",
      ]
    ),
  ])
  func `settings that do not fit each other are named, and nothing is made`(
    _ environment: [String: String], _ messages: [String]
  ) async throws {
    try await expectFailure(environment: environment, saying: messages)
  }

  /// Two dots are an e in Latin-1. A shell passes the byte on.
  @Test(arguments: ["doctor --salvage", "serve --storage-dir"])
  func `an argument that is not UTF-8 is shown as it is, and nothing is made of it`(command: String) async throws {
    let folder = try TemporaryFolder()
    let shell = "exec \"$0\" \(command) \"$(printf 'sel\\351')\""
    let outcome = try await ServerProcess([], in: folder, shell: shell, hasHome: false)
      .outcome(64, saying: [#"selfie-server: The argument sel\xe9 is not UTF-8."#])
    #expect(outcome.output.isEmpty)
    #expect(try folder.contents() == [])
  }

  /// `CredentialsTests` has the reasons.
  @Test func `a password that can be guessed is refused, beside whatever else is wrong`() async throws {
    let folder = try TemporaryFolder()
    let (name, password) = ("API_AUTH_PASSWORD", "fifteen bytes!!")
    let reason = "is shorter than 16 bytes, so it can be guessed"
    try await expectFailure(
      environment: ["API_AUTH_NAME": "name", name: password, "PORT": "x"], in: folder,
      saying: ["\(name) \(reason)", "API_AUTH_PASSWORD_PREVIOUS", "PORT is \"x\""])

    try folder.write("API_AUTH_NAME=name\nAPI_AUTH_PASSWORD=\(password)\n", to: "storage/credentials.env")
    try await folder.run("serve", status: 1, saying: "\(name) in storage/credentials.env \(reason)")
  }

  @Test func `the previous password may be a weak one, but must be another`() async throws {
    let strong = ["API_AUTH_NAME": "name", "API_AUTH_PASSWORD": "0123456789abcdef"]
    let server = try await ServerProcess(
      environment: strong.merging(["API_AUTH_PASSWORD_PREVIOUS": "weak"]) { $1 }
    ).listening()
    try await server.logged("API_AUTH_PASSWORD_PREVIOUS is still valid")
    await server.stop()
    try await expectFailure(
      environment: strong.merging(["API_AUTH_PASSWORD_PREVIOUS": "0123456789abcdef"]) { $1 },
      saying: ["API_AUTH_PASSWORD_PREVIOUS is the same as API_AUTH_PASSWORD."])
  }

  @Test func `an unusable certificate is named, with every other problem`() async throws {
    let folder = try TemporaryFolder()
    let files = ["TLS_CERTIFICATE": "tls/certificate.pem", "TLS_KEY": "tls/key.pem"]
    try await expectFailure(
      environment: files.merging(["PORT": "x"]) { $1 }, in: folder,
      saying: [
        "TLS_CERTIFICATE is tls/certificate.pem, but there is no such file.",
        "TLS_KEY is tls/key.pem, but there is no such file.", "PORT is \"x\"",
      ])
    try folder.write("", to: "tls/certificate.pem")
    try folder.write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", to: "tls/key.pem")
    try await expectFailure(
      environment: files, in: folder,
      saying: [
        "TLS_CERTIFICATE is tls/certificate.pem, which contains no certificate in PEM format.",
        "TLS_KEY is tls/key.pem, which contains no private key in PEM format without a passphrase",
      ])
    for (name, text, remedy) in [
      ("a b.der", "0\u{2}", "format. Convert it: openssl x509 -inform der -in 'tls/a b.der' -out certificate.pem"),
      ("both.PFX", "0\u{2}", "format. Convert it: openssl pkcs12 -nodes -in tls/both.PFX -out certificate.pem"),
      (
        "a.csr", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n",
        "format. It is a request for one: give it to an authority, which"
      ),
    ] {
      try folder.write(text, to: "tls/\(name)")
      try await expectFailure(
        environment: ["TLS_CERTIFICATE": "tls/\(name)", "TLS_KEY": "tls/key.pem"], in: folder, saying: [remedy])
    }
  }

  @Test func `files of settings that are pipes are named, and not waited for`() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("Config")
    for name in ["Config/server.env", "secret", "key"] {
      try #require(mkfifo("\(folder.path)/\(name)", 0o600) == 0)
    }
    try await expectFailure(
      environment: ["API_AUTH_PASSWORD_FILE": "secret", "TLS_CERTIFICATE": "key", "TLS_KEY": "key"], in: folder,
      saying: [
        "Config/server.env cannot be read: Not a plain file.",
        "API_AUTH_PASSWORD_FILE is secret, which cannot be read: Not a plain file.",
        "TLS_KEY is key, which cannot be read: Not a plain file.",
      ])
  }

  @Test func `paths that only a shell would complete, and names of other files, are explained`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("export PORT=0\nport=0\nTLS_CERT=x\n", to: "Config/server.env")
    let home = "/home/ada"
    try await expectFailure(
      environment: [
        "HOME": home, "BACKUP_DIR": "~/backups", "TLS_KEY": "$HOME/key.pem", "API_AUTH_PASSWORD_FILE": "~ada/key",
        "PUBLIC_URL": "https://selfies.example/api/",
      ], in: folder,
      saying: [
        "BACKUP_DIR is ~/backups. Only a shell replaces ~ and $: write the whole path, such as \(home)/backups.",
        "TLS_KEY is $HOME/key.pem. Only a shell replaces ~ and $: write the whole path, such as \(home)/key.pem.",
        "API_AUTH_PASSWORD_FILE is ~ada/key. Only a shell replaces ~ and $: write the whole path.",
        "PUBLIC_URL is \"https://selfies.example/api/\". It must be an address such as https://selfies.example, without /api",
        "server.env:1: there is no setting export PORT. Leave out export, as in PORT=…: no shell reads this file.",
        "server.env:2: there is no setting port. Did you mean PORT?",
        "server.env:3: there is no setting TLS_CERT. Did you mean TLS_CERTIFICATE?",
      ])
  }

  @Test func `an address in place of a path or of a host is named`() async throws {
    try await expectFailure(
      environment: ["HOST": "http://0.0.0.0", "BACKUP_DIR": "s3://bucket/backups", "TLS_KEY": "file:///key.pem"],
      saying: [
        "HOST is \"http://0.0.0.0\". It must be an address of this machine, without a scheme and a port, such as 0.0.0.0.",
        "BACKUP_DIR is s3://bucket/backups, which is an address. It must be the path of a file or folder of this machine.",
        "TLS_KEY is file:///key.pem, which is an address.",
      ])
    try await expectFailure(
      environment: ["HOST": "0.0.0.0", "PORT": "3000", "METRICS": "127.0.0.1:3000", "CONTROL_ADDRESS": "0.0.0.0:3000"],
      saying: [
        "METRICS has the port 3000, which is PORT. Give it another one.", "CONTROL_ADDRESS has the port 3000, which is",
      ])
    for host in ["localhost:3000", "[::1]:3000"] {
      try await expectFailure(environment: ["HOST": host], saying: ["HOST is \"\(host)\". It must be an address of"])
    }
  }

  @Test func `files that are not read, and numbers without a unit, are named at the start`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("SIGNUP=closed\n", to: "Config/server.env.txt")
    try folder.write("export SIGNUP=closed\nSIGNUP=closed\n", to: ".env")
    try folder.write("NAME=value\n", to: "server.env")
    let server = try await ServerProcess(
      environment: [
        "TOKEN_LIFETIME": "24", "USER_QUOTA": "60", "MAX_PHOTO_BYTES": "64M", "SESSION_LIFETIME": "3600",
        "API_AUTH_NAME": "app", "API_AUTH_PASSWORD": "0123456789abcdef ",
      ],
      in: folder
    ).listening()
    await server.stop()
    let warnings = await server.errors.all().filter { $0.contains(" warning ") }.map {
      $0.split(separator: " warning ")[1]
    }
    #expect(
      warnings == [
        "Config/server.env.txt has settings, but is not read. The configuration file is Config/server.env",
        ".env has settings, but is not read. The configuration file is Config/server.env",
        "TOKEN_LIFETIME is 24 seconds. With a unit it is longer, such as 24h.",
        "USER_QUOTA is 60 bytes. With a unit it is more, such as 60M.",
        "API_AUTH_PASSWORD begins or ends with white space, which is a part of it",
      ])
  }

  @Test func `a backup, a folder of backups and a folder in a storage are refused and left as they are`() async throws {
    let folder = try TemporaryFolder()
    try await ServerProcess(in: folder).listening().stop()
    try folder.makeFolder("backups")
    try await folder.run("backup --to backups")
    let backups = "backups/\(try #require(folder.names(in: "backups").first))"
    let backup = "\(backups)/\(try #require(folder.names(in: backups).first { $0.hasPrefix("20") }))"
    for (path, message) in [
      (backup, "\(backup) is a backup, and a server would change it. Set STORAGE_DIR to a new folder, and restore"),
      (backups, "\(backups) has backups, and a server would change it."),
      ("storage/photos", "storage/photos is a folder in the storage \(folder.path)/storage. Set STORAGE_DIR to that."),
    ] {
      try await expectFailure(environment: ["STORAGE_DIR": path], in: folder, saying: [message])
    }
    try await folder.run("backup --verify backups")
  }

  @Test func `mistakes in the configuration file are named with their lines`() async throws {
    let folder = try TemporaryFolder()
    let lines = ["# settings", "PROT=3000", "", "LOG_LEVEL", " PASSWORD_COST = '99'", ""]
    for lineEnd in ["\n", "\r\n"] {
      try folder.write(lines.joined(separator: lineEnd), to: "Config/server.env")
      try await expectFailure(
        environment: ["PASSWORD_COST": ""], in: folder,
        saying: [
          "Config/server.env:2: there is no setting PROT. selfie-server settings lists all settings.",
          "Config/server.env:4: this line does not have the form NAME=value.",
        ])
    }
    try folder.write("PASSWORD_COST='99'\n", to: "other.env")
    try await expectFailure(
      ["serve", "--config", "other.env"], environment: ["PASSWORD_COST": "x"], in: folder,
      saying: ["PASSWORD_COST is \"x\""])
    try await expectFailure(
      ["serve", "--config", "missing.env"], in: folder, saying: ["--config is missing.env, but there is no such file."])
  }

  @Test func `outside of a checkout no storage is made, which would look as if the data were lost`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("// Another package.", to: "Package.swift")
    try await ServerProcess.run(
      in: folder, hasHome: false, status: 1,
      saying: "There is no storage in this folder, and this is not a checkout",
      "Set STORAGE_DIR to the folder with the data", "mkdir -m 700 storage")
    #expect(try folder.contents() == ["Package.swift"])
    // In a checkout, and in a folder that is there, no setting is needed.
    for markers in [["Package.swift", "bin/serve"], ["storage/.gitkeep"]] {
      let folder = try TemporaryFolder()
      for marker in markers { try folder.write("", to: marker) }
      try await ServerProcess(in: folder, hasHome: false).listening().stop()
      #expect(folder.exists("storage/selfie.sqlite3"))
    }
  }

  @Test func `a folder of another purpose that is open to others is refused, and an empty one is closed`() async throws
  {
    let folder = try TemporaryFolder()
    try folder.write("", to: "data/novel.txt")
    let data = "\(folder.path)/data"
    try #require(chmod(data, 0o755) == 0)
    // The folder may be any that others need, such as /etc: nothing is recommended for it.
    try await expectFailure(
      environment: ["STORAGE_DIR": data], in: folder,
      saying: ["\(data) has files that do not belong to a server, and other users can access it. Set STORAGE_DIR"])
    let doctor = try await folder.run("doctor", environment: ["STORAGE_DIR": data], status: 2)
    #expect(!"\(doctor)".contains("chmod"), "\(doctor)")

    try folder.remove("data/novel.txt")
    // To whoever tries it on this machine, it is no news.
    for (host, isNews) in [("127.0.0.1", false), ("0.0.0.0", true)] {
      try folder.makeFolder("data")
      try #require(chmod(data, 0o755) == 0)
      let environment = ["STORAGE_DIR": data, "HOST": host]
      let server = try await ServerProcess(environment: environment, in: folder).listening()
      await server.stop()
      #expect(await server.errors.all().contains { $0.contains("accessible to its owner only") } == isNews)
      #expect(try folder.permissions(of: "data") == 0o700)
      try folder.remove("data")
    }
  }

  @Test func `a storage folder that was set is not made, and one that cannot be used is refused`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    try await expectFailure(
      environment: ["STORAGE_DIR": "missing"], in: folder,
      saying: ["STORAGE_DIR is missing, but there is no such folder.", "mkdir -p missing"])
    for path in ["file", "file/below"] {
      try await expectFailure(
        environment: ["STORAGE_DIR": path], in: folder,
        saying: ["STORAGE_DIR is \(path), but file is not a folder. Set it to the folder with the data"])
    }
    try await expectFailure(environment: ["STORAGE_DIR": "/proc"], saying: ["Set STORAGE_DIR to a folder of its own."])
    try folder.write("", to: "storage/photos")
    for name in ["storage", "storage/photos"] { #expect(chmod("\(folder.path)/\(name)", 0o700) == 0) }
    try await expectFailure(
      in: folder, saying: ["storage/photos: Not a directory"],
      leaving: ["file", "storage", "storage/lock", "storage/photos", "storage/selfie.sqlite3"])
  }

  @Test func `a port that is taken, and an address that is not this machine's`() async throws {
    let first = try ServerProcess()
    let port = "\(try await first.port())"
    for (environment, parts) in [
      (["PORT": port], ["PORT", port]), (["HOST": "no.such.host.invalid"], ["HOST", "no.such.host.invalid"]),
      (["HOST": "192.0.2.1"], ["HOST", "192.0.2.1"]),
    ] {
      // Neither a database nor credentials.
      try await expectFailure(environment: environment, saying: parts, leaving: ["storage", "storage/lock"])
    }
  }

  @Test func `a database of a newer version, and a migration that fails`() async throws {
    let step = try #require(Migrations.sqlite.steps.last)
    let server = try await ServerProcess().listening()
    await server.stop()
    let folder = server.folder
    try folder.execute("INSERT INTO schema_migrations VALUES ('9999_more', '', 0)")
    try await expectFailure(
      in: folder,
      saying: ["9999_more.sql", "Start that version again or a later one"])
    try folder.execute("DELETE FROM schema_migrations WHERE name = '9999_more'")
    try folder.execute("DELETE FROM schema_migrations WHERE name = '\(step.name)'")
    // The copy that was made before stays.
    let copy = "storage/selfie.sqlite3.before-\(step.name.prefix(4))"
    try await expectFailure(
      in: folder, saying: ["\(step.fileName): ", "SQLite error 1: "],
      leaving: (try folder.contents() + [copy]).sorted()
    )
    try folder.execute("INSERT INTO schema_migrations VALUES ('\(step.name)', '\(step.sha256)', 0)")
    try await ServerProcess(in: folder).listening().stop()
  }

  @Test(arguments: [
    ("-n 20", "Only 20 files may be open at once. Allow 1024: ulimit -n 1024"), ("-f 1", "storage/selfie.sqlite3: "),
  ])
  func `a limit of the system is named`(limit: String, message: String) async throws {
    try await ServerProcess.run(shell: "ulimit \(limit)", status: 1, saying: message, "ulimit")
  }

  @Test func `the marks that Windows' editors put before a text count for nothing`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("\u{feff}API_AUTH_NAME=name\n", to: "Config/server.env")
    try folder.write("\u{feff}0123456789abcdef\r\n", to: "secret")
    let server = try ServerProcess(environment: ["API_AUTH_PASSWORD_FILE": "secret"], in: folder)
    let app = TutorialApp(try await server.origin(), name: "name", password: "0123456789abcdef")
    try await app.makeUser("jane@example.com")
    await server.stop()

    let other = try TemporaryFolder()
    try other.write(
      "\u{feff}API_AUTH_NAME=name\nAPI_AUTH_PASSWORD=0123456789abcdef\n", to: "storage/credentials.env")
    try await ServerProcess(in: other).listening().stop()
  }
}
