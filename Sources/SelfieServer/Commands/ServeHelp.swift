// The help of `serve`: its flags by subject, and one subject in detail. ArgumentParser's would have 180 lines.
// `SettingTable` has the texts about single settings.
extension Serve {
  /// The help that a command line asks for; nil if it asks for none.
  static func help(_ arguments: [String]) -> String? {
    let words = arguments.first == "help" ? Array(arguments.dropFirst()) + ["--help"] : arguments
    guard words.first == "serve", let help = words.firstIndex(where: { ["--help", "-h"].contains($0) }) else {
      return nil
    }
    guard let subject = words[words.index(after: help)...].first?.lowercased() else { return overview }
    let sections = SettingTable.sections.filter { $0.name.lowercased().contains(subject) }
    return sections.isEmpty ? overview : sections.map(details).joined(separator: "\n")
  }

  private static let overview = """
    Serves until SIGTERM or SIGINT.

    USAGE: selfie-server serve [options]

    Each flag is also a setting: --public-url is PUBLIC_URL in the environment and in Config/server.env. Secrets: set
    them in the environment or a file. Other users can read flags. A word after --help explains the flags of its subject:
    selfie-server serve --help limits

    \(SettingTable.sections.map { "\($0.name)\n\(flags(of: $0))" }.joined())\
    Files and processes
      --config FILE, --home FOLDER: where the settings and the storage are
      --ready-file FILE: gets the address and the credentials as JSON once the server listens
      --exit-with-parent, --parent-pid PID: stop when the process ends that started this one

    EXAMPLES
      selfie-server serve --port 8080 --storage-dir /var/lib/selfie-server
      selfie-server serve --ephemeral --ready-file /tmp/selfie.json

    """

  private static func flags(of section: SettingTable.Section) -> String {
    wrapped(section.rows.map { "--\($0.flag)" }.joined(separator: " "), width: 100).map { "  \($0)\n" }.joined()
  }

  private static func details(of section: SettingTable.Section) -> String {
    section.rows.reduce("\(section.name)\n") { text, row in
      let meaning = [row.flagHelp, row.details].filter { !$0.isEmpty }.joined(separator: " ")
      return text + "\n  --\(row.flag)\n" + wrapped(meaning, width: 100).map { "      \($0)\n" }.joined()
    }
  }
}
