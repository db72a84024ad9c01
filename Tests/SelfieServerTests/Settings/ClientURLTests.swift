import Testing

@testable import SelfieServerCommands

/// The addresses that the app and the owner are told.
@Suite struct ClientURLTests {
  @Test(arguments: [
    ("127.0.0.1", nil, "http://127.0.0.1:3000"),
    ("::1", nil, "http://[::1]:3000"),
    // Nobody can connect to these, so that pasting them would not work.
    ("0.0.0.0", nil, "http://ADDRESS-OF-THIS-MACHINE:3000"),
    ("::", nil, "http://ADDRESS-OF-THIS-MACHINE:3000"),
    ("0.0.0.0", "https://selfies.example", "https://selfies.example"),
  ])
  func `is one that a client can connect to`(host: String, publicURL: String?, expected: String) throws {
    var flags = ["HOST": host]
    flags["PUBLIC_URL"] = publicURL
    let settings = try Settings(
      SettingSources(flags: flags, file: "/dev/null", home: Home(folder: nil), installation: nil))
    #expect(settings.clientURL(port: 3000) == expected)
  }

  @Test(arguments: [
    ("127.0.0.1", nil, "http://localhost:3000"), ("0.0.0.0", nil, "http://localhost:3000"),
    ("0.0.0.0", "https://selfies.example", "https://selfies.example"),
    ("0.0.0.0", "http://localhost:8080", "http://localhost:8080"),
    ("0.0.0.0", "http://192.0.2.1:3000", "http://localhost:3000"),
  ])
  func `is for the owner's page one that it opens at`(host: String, publicURL: String?, expected: String) throws {
    var flags = ["HOST": host]
    flags["PUBLIC_URL"] = publicURL
    let settings = try Settings(
      SettingSources(flags: flags, file: "/dev/null", home: Home(folder: nil), installation: nil))
    #expect(settings.ownerURL(port: 3000) == expected)
  }
}
