import ArgumentParser

/// The flags that say what the environment and the configuration file can say too.
struct SettingsOptions: ParsableArguments {
  @Option(help: "The configuration file. (default: Config/server.env, if there is one)")
  var config: String?

  @Option(help: "The name of HTTP Basic.")
  var apiAuthName: String?

  @Option(help: "Its password; the environment keeps it out of the list of processes.")
  var apiAuthPassword: String?

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

  @Option(help: "What get_token asks for: email, password or off.")
  var getToken: String?

  @Option(help: "How long a token lives, in seconds.")
  var tokenLifetime: String?

  @Option(help: "bcrypt's cost, 4 to 31.")
  var passwordCost: String?

  @Option(help: "The largest photo, in bytes.")
  var maxPhotoBytes: String?

  @Option(help: "on or off: whether guessing passwords is slowed down.")
  var rateLimit: String?

  @Option(help: "Addresses and networks of proxies whose X-Forwarded-For is believed.")
  var trustedProxies: String?

  @Option(help: "trace, debug, info, notice, warning, error or critical.")
  var logLevel: String?

  @Option(help: "text or json.")
  var logFormat: String?

  /// What was given, by the names that the environment uses.
  var given: [Setting: String] {
    let all: [(Setting, String?)] = [
      (.apiAuthName, apiAuthName), (.apiAuthPassword, apiAuthPassword), (.host, host), (.port, port),
      (.storageDir, storageDir), (.migrationsDir, migrationsDir), (.publicURL, publicURL),
      (.getToken, getToken), (.tokenLifetime, tokenLifetime), (.passwordCost, passwordCost),
      (.maxPhotoBytes, maxPhotoBytes),
      (.rateLimit, rateLimit), (.trustedProxies, trustedProxies), (.logLevel, logLevel), (.logFormat, logFormat),
    ]
    return Dictionary(uniqueKeysWithValues: all.compactMap { name, value in value.map { (name, $0) } })
  }
}
