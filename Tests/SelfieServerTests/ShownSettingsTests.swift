import SelfieAPI
import SelfieOperations
import Testing

@testable import SelfieServerCommands

/// The settings in force, as the owner's page shows them.
@Suite struct ShownSettingsTests {
  @Test func `all are shown with their values or defaults, and no secret is`() throws {
    let secret = "Never1Print2This3"
    let flags: [Setting: String] = [.port: "8080", .apiAuthName: "name", .apiAuthPassword: secret]
    let settings = try Settings(
      SettingSources(flags: flags, file: "/dev/null", home: Home(folder: nil), installation: nil))
    #expect(settings.shown.map(\.name) == Setting.allCases.map(\.rawValue))
    #expect(settings.shown.contains(ShownSetting(name: "PORT", value: "8080", source: "the command line")))
    let password = settings.shown.first { $0.name == "API_AUTH_PASSWORD" }
    #expect(password == ShownSetting(name: "API_AUTH_PASSWORD", value: "••••••••", source: "the command line"))
    let defaults: [Setting: String?] = [
      .maxPhotos: "\(APISettings.defaults.maxPhotos)", .signup: "open", .homePage: "on", .userQuota: "0",
      .backupEvery: "24h", .publicURL: nil,
    ]
    for (setting, value) in defaults {
      #expect(settings.shown.contains(ShownSetting(name: setting.rawValue, value: value, source: nil)), "\(setting)")
    }
  }
}
