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
  /// - Parameter isServing: whether they are for a server, and not for another command.
  func settings(isServing: Bool = false) throws(ConfigurationError) -> Settings {
    let given = flags.compactMapValues(\.self)
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
  static let storageDir = setting(SettingTable.all.storageDir)

  /// Of a flag that is a setting, too.
  static func setting(_ row: any SettingRow) -> ArgumentHelp {
    let fallback = row.defaultText(isEphemeral: false) ?? row.absence
    return "\(row.help) (default: \(fallback))"
  }
}

/// Where the data is: for the commands that use it.
struct StorageOptions: ConfigurationSource {
  @Option(help: .config) var config: String?
  @Option(help: .home) var home: String?
  @Option(help: .storageDir) var storageDir: String?

  var flags: [String: String?] { [SettingTable.all.storageDir.name: storageDir] }
}
