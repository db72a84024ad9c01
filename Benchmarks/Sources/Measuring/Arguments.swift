import Glibc

/// The program's arguments. Ends the program with `usage` if their number differs from those that `usage` names.
public func arguments(_ usage: String) -> [String] {
  let arguments = Array(CommandLine.arguments.dropFirst())
  guard arguments.count == usage.split(separator: " ").count - 1 else { fail("usage: \(usage)") }
  return arguments
}

/// An argument as a number.
public func number(_ text: String) -> Int {
  guard let number = Int(text), number > 0 else { fail("\(text) is no positive number") }
  return number
}

/// Ends the program with a message.
public func fail(_ why: String) -> Never {
  let bytes = Array("\(why)\n".utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
  exit(1)
}
