/// What is wrong with the configuration, all of it.
struct ConfigurationError: Error, CustomStringConvertible {
  let problems: [String]

  var description: String {
    problems.count == 1 ? problems[0] : problems.map { "- \($0)" }.joined(separator: "\n")
  }
}
