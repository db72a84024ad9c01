import ArgumentParser

/// The flags for settings that the environment and the configuration file can give too.
struct SettingsOptions: ParsableArguments {
  @Option(help: "The configuration file. (default: Config/server.env, if there is one)")
  var config: String?

  @Option(help: "The folder of Config, Migrations and storage, unless they are set. (default: the working folder)")
  var home: String?

  @Option(help: "The user name of HTTP Basic authentication.")
  var apiAuthName: String?

  @Option(help: "Its password. Everybody on the machine can read it here, but not in the environment or the file.")
  var apiAuthPassword: String?

  @Option(help: "The password before that, which is valid too. Everybody on the machine can read it here.")
  var apiAuthPasswordPrevious: String?

  @Option(help: "The address to listen on.")
  var host: String?

  @Option(help: "The port to listen on; 0 picks a free one.")
  var port: String?

  @Option(help: "The folder of the database and the photos.")
  var storageDir: String?

  @Option(help: "The folder of the database's migrations.")
  var migrationsDir: String?

  @Option(help: "Where clients reach the server, such as https://selfies.example.")
  var publicURL: String?

  @Option(help: "The apps whose addresses the server has: selfie, microblog, notes.")
  var apiFamilies: String?

  @Option(help: "Who makes accounts: open (everybody) or closed (the owner).")
  var signup: String?

  @Option(help: "What get_token requires: email, password or off.")
  var getToken: String?

  @Option(help: "How long a token lives, in seconds.")
  var tokenLifetime: String?

  @Option(help: "How long a session of the Microblog app lives without use, in seconds.")
  var sessionLifetime: String?

  @Option(help: "bcrypt's cost, 4 to 31.")
  var passwordCost: String?

  @Option(help: "The largest photo, in bytes.")
  var maxPhotoBytes: String?

  @Option(help: "The photos that an account may have.")
  var maxPhotos: String?

  @Option(help: "The memory that clients may make the server hold, in bytes.")
  var memoryLimit: String?

  @Option(help: "Limit attempts to guess passwords, and sign-ups: on or off.")
  var rateLimit: String?

  @Option(help: "Addresses and networks of the proxies whose X-Forwarded-For or Forwarded is trusted.")
  var trustedProxies: String?

  @Option(help: "The origins of the web pages that may use the API, such as https://app.example, or *.")
  var corsOrigins: String?

  @Option(help: "The lowest level to log: trace, debug, info, notice, warning, error or critical.")
  var logLevel: String?

  @Option(help: "How log lines are written: text or json.")
  var logFormat: String?

  /// Reads all settings: these flags, the environment and the configuration file.
  ///
  /// - Parameters:
  ///   - flags: flags in addition to these.
  ///   - isServing: whether they are for a server, and not for another command.
  func settings(_ flags: [Setting: String] = [:], isServing: Bool = false) throws(ConfigurationError) -> Settings {
    try Settings(
      SettingSources(flags: given.merging(flags) { _, flag in flag }, file: config, home: Home(folder: home)),
      isServing: isServing)
  }

  /// The flags that were given, by the names of their settings.
  private var given: [Setting: String] {
    let all: [(Setting, String?)] = [
      (.apiAuthName, apiAuthName), (.apiAuthPassword, apiAuthPassword),
      (.apiAuthPasswordPrevious, apiAuthPasswordPrevious), (.host, host), (.port, port),
      (.storageDir, storageDir), (.migrationsDir, migrationsDir), (.publicURL, publicURL),
      (.apiFamilies, apiFamilies), (.signup, signup), (.getToken, getToken), (.tokenLifetime, tokenLifetime),
      (.sessionLifetime, sessionLifetime), (.passwordCost, passwordCost),
      (.maxPhotoBytes, maxPhotoBytes), (.maxPhotos, maxPhotos), (.memoryLimit, memoryLimit),
      (.rateLimit, rateLimit), (.trustedProxies, trustedProxies), (.corsOrigins, corsOrigins),
      (.logLevel, logLevel), (.logFormat, logFormat),
    ]
    return Dictionary(uniqueKeysWithValues: all.compactMap { name, value in value.map { (name, $0) } })
  }
}
