import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SelfieOperations

/// The options of a command that lists.
struct ListOptions: ParsableArguments {
  @Option(help: "How many to show at most, 1 to \(OwnerCommand.limits.upperBound).")
  var limit = OwnerCommand.defaultLimit

  func validate() throws {
    guard OwnerCommand.limits.contains(limit) else {
      throw ValidationError("--limit is from 1 to \(OwnerCommand.limits.upperBound).")
    }
  }

  /// Prints a list as a table, or as the JSON that it is.
  ///
  /// - Parameter columns: their titles and kinds, and the cells of an element.
  func show(
    _ reply: OwnerReply, _ options: OwnerOptions, noun: String,
    _ columns: [(title: String, kind: Table.Kind, cell: (ParameterValue) -> String)]
  ) {
    if options.json {
      Terminal.writeJSON(reply.json)
    } else if case .array(let elements) = reply.object, !elements.isEmpty {
      var table = Table(columns.map { ($0.title, $0.kind) })
      for element in elements { table.append(columns.map { $0.cell(element) }) }
      Terminal.write(table.text, to: STDOUT_FILENO)
    } else {
      Terminal.write("There are no \(inflected(noun, 0)).\n", to: STDOUT_FILENO)
    }
    // On standard error, so that a program that reads the list is not confused.
    if let total = reply.total, total > limit {
      Terminal.write("\(limit) of \(counted(total, noun)) are shown. --limit shows more.\n", to: STDERR_FILENO)
    }
  }
}
