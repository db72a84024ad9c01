import ArgumentParser
import Glibc
import SelfieOperations

/// `selfie-server settings`: shows the settings in force, or prints what is made from their table. `SettingTable` makes
/// the texts to print.
struct SettingsCommand: Command {
  static let configuration = CommandConfiguration(
    "settings", "Show all settings, with their values and where these come from.",
    discussion: "Without a source, a value is the default. Secrets are masked.",
    examples: "settings", "settings --default > Config/server.env")

  @Flag(name: .customLong("default"), help: "Print Config/server.env with all defaults as comments instead.")
  var isTemplate = false

  @Flag(help: "Print the tables of Docs/Settings.md instead.")
  var markdown = false

  @OptionGroup var options: StorageOptions

  func execute() throws {
    guard !isTemplate, !markdown else {
      return Terminal.write(markdown ? SettingTable.markdown : SettingTable.environmentFile, to: STDOUT_FILENO)
    }
    Terminal.write(
      table: [.whole("NAME"), .text("VALUE"), .text("SOURCE")],
      try options.settings().shown.map { [$0.name, $0.value, $0.source ?? ""] })
  }
}
