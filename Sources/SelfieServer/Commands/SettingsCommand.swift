import ArgumentParser
import Glibc

/// `selfie-server settings`: prints what is made from the table of settings: Config/server.env, and the tables of the
/// documentation.
struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Print Config/server.env.",
    discussion: """
      EXAMPLES
        selfie-server settings > Config/server.env
        selfie-server settings --markdown
      """, shouldDisplay: false)

  @Flag(help: "Print the tables of Docs/Settings.md instead.")
  var markdown = false

  func run() {
    Terminal.write(markdown ? SettingTable.markdown : SettingTable.environmentFile, to: STDOUT_FILENO)
  }
}
