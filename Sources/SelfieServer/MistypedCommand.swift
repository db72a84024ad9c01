import ArgumentParser
import Platform

/// A word in the place of a command that names none. `SimilarName` in Platform finds the name that was meant.
enum MistypedCommand {
  /// A message about it; nil if the words name a command, or none, as options alone do.
  static func message(_ arguments: [String], of root: any ParsableCommand.Type) -> String? {
    var command = root
    var path = name(of: root)
    for word in arguments {
      let known = command.configuration.subcommands
      if let next = known.first(where: { name(of: $0) == word }) {
        command = next
        path += " \(word)"
        continue
      }
      // The parser adds the command "help".
      guard !known.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      if let replacement = former["\(path) \(word)"] {
        return "The command \"\(path) \(word)\" was removed. \(replacement)"
      }
      let names = known.filter { $0.configuration.shouldDisplay }.map(name(of:))
      let nearest = SimilarName.nearest(to: word, among: names) { max(1, min(word.count, $0.count) / 2) }
      let all = "The commands are \(names.joined(separator: ", "))."
      let remedy = nearest.map { "Did you mean \"\(path) \($0)\"?" } ?? all
      return "There is no command \"\(path) \(word)\". \(remedy)\nSee \"\(path) --help\"."
    }
    return nil
  }

  /// Every command has a configured name.
  private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }

  /// Commands of earlier versions, with what to use instead.
  private static let former = [
    "selfie-server certificate": """
    mkcert makes certificates for your own network: mkcert selfie.local 192.168.1.20. TLS_CERTIFICATE and TLS_KEY name \
    its files.
    """
  ]
}
