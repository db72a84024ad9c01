/// Every problem that was found with the configuration, or the one with the schema of the database. Another failure of a
/// command is an `OperationError` in SelfieOperations.
package struct ConfigurationError: Error, CustomStringConvertible {
  package let problems: [String]

  package init(problems: [String]) {
    self.problems = problems
  }

  package init(_ problem: String) {
    problems = [problem]
  }

  package var description: String {
    problems.count == 1 ? problems[0] : problems.map { "- \($0)" }.joined(separator: "\n")
  }
}
