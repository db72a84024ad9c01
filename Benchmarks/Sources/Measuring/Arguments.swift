import Glibc

/// The program's arguments, or its end with `usage` if they are not so many as that names.
public func arguments(_ usage: String) -> [String] {
  let arguments = Array(CommandLine.arguments.dropFirst())
  guard arguments.count == usage.split(separator: " ").count - 1 else { fail("usage: \(usage)") }
  return arguments
}

/// A number that is an argument.
public func number(_ text: String) -> Int {
  guard let number = Int(text), number > 0 else { fail("\(text) is no positive number") }
  return number
}

/// Ends the program.
public func fail(_ why: String) -> Never {
  let bytes = Array("\(why)\n".utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
  exit(1)
}
