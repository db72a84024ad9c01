import ArgumentParser

/// `selfie-server serve`: the flags for settings that the environment and the configuration file can give too.
struct Serve: Command, ConfigurationSource {
  static let configuration = CommandConfiguration(
    abstract: "Serve until SIGTERM or SIGINT.",
    discussion: """
      Every option is also a setting of the environment and of Config/server.env: --public-url is PUBLIC_URL.

      EXAMPLES
        selfie-server serve
        selfie-server serve --port 8080 --storage-dir /var/lib/selfie-server
        selfie-server serve --ephemeral --ready-file /tmp/selfie.json
      """)

  @Option(help: ConfigurationHelp.config) var config: String?
  @Option(help: ConfigurationHelp.home) var home: String?
  @OptionGroup var given: SettingFlags
  @OptionGroup(title: "For tests") var testing: TestingOptions

  var flags: [String: String?] { testing.flags.merging(given.texts) { $1 } }
}
