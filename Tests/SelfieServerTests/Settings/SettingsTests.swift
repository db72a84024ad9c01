import Platform
import SelfieAPI
import SelfieOperations
import Testing

@testable import SelfieServer

/// The values of all settings, and what follows from them.
@Suite struct SettingsTests {
  private func settings(_ flags: [String: String], home: String? = nil) throws -> Settings {
    try Settings(SettingSources(flags: flags, file: "/dev/null", home: home, installation: nil))
  }

  /// The app's address must be one that a client can connect to, the owner's one at which a browser opens the page.
  @Test(arguments: [
    ("127.0.0.1", nil, "http://127.0.0.1:3000", "http://localhost:3000"),
    ("::1", nil, "http://[::1]:3000", "http://[::1]:3000"),
    ("0.0.0.0", nil, "http://ADDRESS-OF-THIS-MACHINE:3000", "http://localhost:3000"),
    ("::", nil, "http://ADDRESS-OF-THIS-MACHINE:3000", "http://localhost:3000"),
    ("0.0.0.0", "https://selfies.example", "https://selfies.example", "https://selfies.example"),
    ("0.0.0.0", "http://localhost:8080", "http://localhost:8080", "http://localhost:8080"),
    ("0.0.0.0", "http://192.0.2.1:3000", "http://192.0.2.1:3000", "http://localhost:3000"),
  ])
  func `the addresses for the app and for the owner`(
    host: String, publicURL: String?, client: String, owner: String
  ) throws {
    var flags = ["HOST": host]
    flags["PUBLIC_URL"] = publicURL
    let settings = try settings(flags)
    #expect(settings.clientURL(port: 3000) == client)
    #expect(settings.ownerURL(port: 3000, certificate: nil) == owner)
  }

  @Test func `a path that is not UTF-8 is refused, since another folder would be made`() {
    // What Swift makes of such an argument.
    let error = #expect(throws: ConfigurationError.self) { try settings(["STORAGE_DIR": "/srv/sel\u{fffd}e"]) }
    #expect(error?.description.contains("STORAGE_DIR is /srv/sel\u{fffd}e, which is not UTF-8.") == true)
  }

  @Test func `the owner's page shows all with their values or defaults, and no secret`() throws {
    let flags = ["PORT": "8080", "API_AUTH_NAME": "name", "API_AUTH_PASSWORD": "Never1Print2This3"]
    let shown = try settings(flags, home: "/home").shown
    #expect(shown.map(\.name) == SettingTable.rows.map(\.name))
    for (name, value) in ["PORT": "8080", "API_AUTH_PASSWORD": "••••••••"] {
      let setting = try #require(shown.first { $0.name == name })
      #expect((setting.value, setting.source) == (value, "the command line"), "\(name)")
    }
    let defaults = [
      "MAX_PHOTOS": "\(APISettings.defaults.maxPhotos)", "SIGNUP": "open", "HOME_PAGE": "on", "USER_QUOTA": "0",
      "BACKUP_EVERY": "24h", "STORAGE_DIR": "/home/storage", "API_FAMILIES": "selfie,microblog,notes",
      "PUBLIC_URL": "the Host of the request", "BACKUP_DIR": "none",
    ]
    for (name, value) in defaults {
      let setting = try #require(shown.first { $0.name == name })
      #expect((setting.value, setting.source) == (value, nil), "\(name)")
    }
  }

  @Test func `the owner's page shows the address and the port on which the server listens`() throws {
    let free = ShownSetting(subject: "Addresses and HTTPS", name: "PORT", value: "40123", source: "PORT=0")
    #expect(try settings(["PORT": "0"]).listening(on: "127.0.0.1", port: 40_123).shown.contains(free))
    let given = try settings(["PORT": "1"]).listening(on: "::1", port: 2)
    #expect((given.host, given.port) == ("::1", 2))
    #expect(given.shown.filter { $0.source == "systemd" }.map(\.name) == ["HOST", "PORT"])
  }
}
