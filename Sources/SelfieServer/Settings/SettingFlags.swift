import ArgumentParser
import Platform

// Flags for settings. `SettingSources` reads all sources, and `SettingTable` has the flags' help.

/// Options that say where the configuration is.
///
/// Each type that conforms declares these options itself instead of containing a group of them: a debug build of
/// ArgumentParser checks a group within a group again and again, which took most of the time of a command.
protocol ConfigurationSource: ParsableArguments {
  var config: String? { get }
  var home: String? { get }
  /// The flags that were given, by the names of their settings.
  var flags: [String: String?] { get }
}

extension ConfigurationSource {
  /// Reads all settings: flags, the environment and the configuration file.
  ///
  /// - Parameters:
  ///   - others: flags in addition to these.
  ///   - isServing: whether they are for a server, and not for another command.
  func settings(_ others: [String: String?] = [:], isServing: Bool = false) throws(ConfigurationError) -> Settings {
    let given = flags.merging(others) { flag, _ in flag }.compactMapValues(\.self)
    // A server is started by its service, which names the file. Root would leave files that it cannot open.
    let installation = isServing ? nil : SettingSources.installedFile
    return try Settings(
      SettingSources(flags: given, file: config, home: home, installation: installation),
      isServing: isServing, cluster: Settings.clusterConnector.withLock { $0 })
  }
}

/// Help for options that several types have.
extension ArgumentHelp {
  static let config: ArgumentHelp = """
    The configuration file. (default: Config/server.env if it exists; for an installed command, the service's file)
    """
  static let home: ArgumentHelp =
    "The folder that contains Config and storage. (default: the working folder)"
  static let storageDir = ArgumentHelp("\(SettingTable.all.storageDir.flagHelp)")
}

/// Where the data is: for the commands that use it.
struct StorageOptions: ConfigurationSource {
  @Option(help: .config) var config: String?
  @Option(help: .home) var home: String?
  @Option(help: .storageDir) var storageDir: String?

  var flags: [String: String?] { [SettingTable.all.storageDir.name: storageDir] }
}

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
