import ArgumentParser

/// A flag for each row of the table of settings, such as `--public-url` for PUBLIC_URL.
///
/// ArgumentParser finds the options of a type by reflection, so a mirror can show it those of the table.
struct SettingFlags: ParsableArguments, CustomReflectable {
  /// What was given, by the names of the settings.
  private(set) var texts: [String: String] = [:]

  private static let rows = SettingTable.rows.filter { row in !TestingOptions.rows.contains { $0.name == row.name } }

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    for row in Self.rows {
      texts[row.name] = try container.decode(Option<String?>.self, forKey: Name(stringValue: row.name)).wrappedValue
    }
  }

  var customMirror: Mirror {
    let options = Self.rows.map { row -> Mirror.Child in
      (label: row.name, value: Option<String?>(name: .customLong(row.flag), help: "\(row.flagHelp)"))
    }
    return Mirror(self, children: options)
  }

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// The flags for tests of apps.
struct TestingOptions: ParsableArguments {
  @Flag(help: "\(SettingTable.all.ephemeral.help)")
  var ephemeral = false

  @Flag(help: "\(SettingTable.all.control.help)")
  var control = false

  @Option(help: "\(SettingTable.all.controlName.flagHelp)")
  var controlName: String?

  @Option(help: "\(SettingTable.all.controlPassword.flagHelp)")
  var controlPassword: String?

  @Option(help: "The folder whose files may be named by path in POST /__admin/state.")
  var seedFolder: String?

  @Option(help: "Once the server listens, write its address and credentials to this file, as JSON.")
  var readyFile: String?

  @Flag(help: "Stop when the process that started this one ends.")
  var exitWithParent = false

  @Option(help: "With --exit-with-parent: the pid of that process, in case it ends before this one looks.")
  var parentPid: Int32?

  /// The settings that have flags here.
  static let rows: [any SettingRow] = [
    SettingTable.all.ephemeral, SettingTable.all.control, SettingTable.all.controlName,
    SettingTable.all.controlPassword,
  ]

  /// The flags that were given, by the names of their settings.
  var flags: [String: String?] {
    let texts = [ephemeral ? "on" : nil, control ? "on" : nil, controlName, controlPassword]
    return Dictionary(uniqueKeysWithValues: zip(Self.rows.map(\.name), texts))
  }
}
