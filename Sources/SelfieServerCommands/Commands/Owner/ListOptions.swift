import ArgumentParser
import Glibc
import Platform
import SelfieOperations

/// The options of a command that lists.
struct ListOptions: ParsableArguments {
  @Option(help: "How many to show at most, 1 to \(OwnerInterface.limits.upperBound).")
  var limit = OwnerInterface.defaultLimit

  func validate() throws {
    guard OwnerInterface.limits.contains(limit) else {
      throw ValidationError("--limit is from 1 to \(OwnerInterface.limits.upperBound).")
    }
  }

  /// Prints a list as a table, or as the JSON that it is.
  func show(
    _ response: OwnerResponse, asJSON: Bool, noun: String, _ columns: [Table.Column], row: (JSONRecord) -> [String]
  ) throws {
    let body = try response.body()
    if asJSON {
      Terminal.writeJSON(body)
    } else {
      let records = try JSONRecord.list(body)
      var table = Table(columns)
      for record in records { table.append(row(record)) }
      Terminal.write(records.isEmpty ? "There are no \(inflected(noun, 0)).\n" : table.text, to: STDOUT_FILENO)
    }
    // On standard error, so that a program that reads the list is not confused.
    if let total = response.total, total > limit {
      Terminal.write("\(limit) of \(counted(total, noun)) are shown. --limit shows more.\n", to: STDERR_FILENO)
    }
  }
}
