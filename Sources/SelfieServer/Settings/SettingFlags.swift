import ArgumentParser

/// A flag for each row of the table of settings, such as `--public-url` for PUBLIC_URL.
///
/// ArgumentParser finds the options of a type by reflection, so a mirror can show it those of the table.
struct SettingFlags: ParsableArguments, CustomReflectable {
  /// The texts that were given, by the names of the settings.
  private(set) var texts: [String: String] = [:]

  /// Settings whose flags take no value, but turn them on.
  private static let switches = [SettingTable.all.ephemeral.name, SettingTable.all.control.name]

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    for name in SettingTable.rows.map(\.name) {
      let key = Name(stringValue: name)
      if Self.switches.contains(name) {
        texts[name] = try container.decode(Flag<Bool>.self, forKey: key).wrappedValue ? "on" : nil
      } else {
        texts[name] = try container.decode(Option<String?>.self, forKey: key).wrappedValue
      }
    }
  }

  var customMirror: Mirror {
    let options = SettingTable.rows.map { row -> Mirror.Child in
      if Self.switches.contains(row.name) {
        return (row.name, Flag(wrappedValue: false, name: .customLong(row.flag), help: "\(row.help)"))
      }
      return (row.name, Option<String?>(name: .customLong(row.flag), help: "\(row.flagHelp)"))
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

/// The flags for tests of apps that are no settings.
struct TestingOptions: ParsableArguments {
  @Option(help: "Once the server listens, write its address and credentials to this file, as JSON.")
  var readyFile: String?

  @Flag(help: "Stop when the process that started this one ends.")
  var exitWithParent = false

  @Option(help: "With --exit-with-parent: the pid of that process, in case it ends before the server can look it up.")
  var parentPid: Int32?
}
