/// Every problem that was found with the configuration.
struct ConfigurationError: Error, CustomStringConvertible {
  let problems: [String]

  init(problems: [String]) {
    self.problems = problems
  }

  init(_ problem: String) {
    problems = [problem]
  }

  var description: String {
    problems.count == 1 ? problems[0] : problems.map { "- \($0)" }.joined(separator: "\n")
  }
}
