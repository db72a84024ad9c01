import ArgumentParser

/// A word in the place of a command that names none.
struct MistypedCommand: CustomStringConvertible {
  let description: String

  /// Nil if the words name a command, or none, as options alone do.
  init?(_ arguments: [String], of root: any ParsableCommand.Type) {
    var command = root
    var path = root._commandName
    for word in arguments {
      let known = command.configuration.subcommands
      if let next = known.first(where: { $0._commandName == word }) {
        command = next
        path += " \(word)"
        continue
      }
      guard !known.isEmpty, !word.hasPrefix("-"), word != Self.help else { return nil }
      let names = known.map { $0._commandName }
      let similar = names.filter { Self.distance(word, $0) <= max(1, min(word.count, $0.count) / 2) }
      let nearest = similar.min { Self.distance(word, $0) < Self.distance(word, $1) }
      let all = "The commands are \(names.joined(separator: ", "))."
      let remedy = nearest.map { "Did you mean \"\(path) \($0)\"?" } ?? all
      description = "There is no command \"\(path) \(word)\". \(remedy)\nSee \"\(path) --help\"."
      return
    }
    return nil
  }

  /// The command that the parser adds.
  private static let help = "help"

  /// How many letters must be added, left out, replaced or exchanged with the next one to make one word of the other
  /// (optimal string alignment). The words are names of commands, or as long as somebody types.
  static func distance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.prefix(64)), Array(second.prefix(64)))
    var rows = [Array(0...second.count)]
    for (row, letter) in first.enumerated() {
      var next = [row + 1]
      for (column, other) in second.enumerated() {
        var best = min(next[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          best = min(best, rows[row - 1][column - 1] + 1)
        }
        next.append(best)
      }
      rows.append(next)
    }
    return rows[first.count][second.count]
  }
}
