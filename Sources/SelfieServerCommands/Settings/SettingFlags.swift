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
