import ArgumentParser

/// Where the configuration is: for every command.
struct ConfigurationOptions: ParsableArguments {
  @Option(help: "The configuration file. (default: Config/server.env, if there is one)")
  var config: String?

  @Option(help: "The folder of Config, Migrations and storage, unless they are set. (default: the working folder)")
  var home: String?

  /// Reads all settings: flags, the environment and the configuration file.
  ///
  /// - Parameters:
  ///   - flags: the flags that were given, by the names of their settings.
  ///   - isServing: whether they are for a server, and not for another command.
  func settings(_ flags: [Setting: String?], isServing: Bool = false) throws(ConfigurationError) -> Settings {
    try Settings(
      SettingSources(flags: flags.compactMapValues(\.self), file: config, home: Home(folder: home)),
      isServing: isServing)
  }
}

/// Where the data is: for the commands that use it.
struct StorageOptions: ParsableArguments {
  @OptionGroup var configuration: ConfigurationOptions

  @Option(help: "The folder of the database and the photos. (default: \(Settings.defaultStorageDir))")
  var storageDir: String?

  /// - Parameter flags: flags in addition to these.
  func settings(_ flags: [Setting: String?] = [:], isServing: Bool = false) throws(ConfigurationError) -> Settings {
    try configuration.settings(flags.merging([.storageDir: storageDir]) { flag, _ in flag }, isServing: isServing)
  }
}

/// Where the data and its migrations are: for the commands that may open the database.
struct DatabaseOptions: ParsableArguments {
  @OptionGroup var storage: StorageOptions

  @Option(help: "The folder of the database's migrations. (default: found next to the program)")
  var migrationsDir: String?

  /// - Parameter flags: flags in addition to these.
  func settings(_ flags: [Setting: String?] = [:], isServing: Bool = false) throws(ConfigurationError) -> Settings {
    try storage.settings(flags.merging([.migrationsDir: migrationsDir]) { flag, _ in flag }, isServing: isServing)
  }
}
