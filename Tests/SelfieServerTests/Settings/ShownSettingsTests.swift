import SelfieAPI
import SelfieOperations
import Testing

@testable import SelfieServerCommands

/// The settings in force, as the owner's page shows them.
@Suite struct ShownSettingsTests {
  @Test func `all are shown with their values or defaults, and no secret is`() throws {
    let secret = "Never1Print2This3"
    let flags = ["PORT": "8080", "API_AUTH_NAME": "name", "API_AUTH_PASSWORD": secret]
    let settings = try Settings(
      SettingSources(flags: flags, file: "/dev/null", home: Home(folder: "/home"), installation: nil))
    #expect(settings.shown.map(\.name) == SettingTable.rows.map(\.name))
    #expect(settings.shown.contains(ShownSetting(name: "PORT", value: "8080", source: "the command line")))
    let password = settings.shown.first { $0.name == "API_AUTH_PASSWORD" }
    #expect(password == ShownSetting(name: "API_AUTH_PASSWORD", value: "••••••••", source: "the command line"))
    let defaults = [
      "MAX_PHOTOS": "\(APISettings.defaults.maxPhotos)", "SIGNUP": "open", "HOME_PAGE": "on", "USER_QUOTA": "0",
      "BACKUP_EVERY": "24h", "STORAGE_DIR": "/home/storage", "API_FAMILIES": "selfie,microblog,notes",
      "PUBLIC_URL": nil,
    ]
    for (name, value) in defaults {
      #expect(settings.shown.contains(ShownSetting(name: name, value: value, source: nil)), "\(name)")
    }
  }
}
