import Glibc

/// Where settings come from: flags over environment over file. The only file that reads the environment.
struct SettingSources {
  private var values: [Setting: String] = [:]
  /// What cannot be understood in the file.
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - flags: what the command line gives.
  ///   - file: the path of a configuration file, which must exist; nil: the usual one, if it does.
  init(flags: [Setting: String], file: String?) {
    if let file, access(file, F_OK) != 0 {
      problems.append("--config is \(file), and there is no such file.")
    }
    readFile(file ?? Self.usualFile)
    for setting in Setting.allCases {
      if let value = getenv(setting.rawValue) { values[setting] = String(cString: value) }
    }
    values.merge(flags) { _, flag in flag }
  }

  private static let usualFile = "Config/server.env"

  /// What a setting was given; nil when nobody gave it, or gave nothing.
  subscript(setting: Setting) -> String? {
    values[setting].flatMap { $0.isEmpty ? nil : $0 }
  }

  private mutating func readFile(_ path: String) {
    let file = EnvironmentFile(path: path)
    problems += file.problems
    for (name, value, line) in file.entries {
      if let setting = Setting(rawValue: name) {
        values[setting] = value
      } else {
        let known = Setting.allCases.map(\.rawValue).joined(separator: ", ")
        problems.append("\(path):\(line): there is no setting \(name). The settings are \(known).")
      }
    }
  }
}

/// A file of `NAME=value` lines. Lines that begin with `#` are comments; quotes around a value are taken off.
struct EnvironmentFile {
  private(set) var entries: [(name: String, value: String, line: Int)] = []
  private(set) var problems: [String] = []

  /// Reads a file; one that is not there is empty.
  init(path: String) {
    let text: String
    do {
      guard let contents = try TextFile.read(path) else { return }
      text = contents
    } catch {
      problems.append("\(path) cannot be read: \(error).")
      return
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = Self.trimmed(line)
      if line.isEmpty || line.first == "#" { continue }
      guard let equals = line.firstIndex(of: "="), equals != line.startIndex else {
        problems.append("\(path):\(index + 1): this is not of the form NAME=value.")
        continue
      }
      let name = Self.trimmed(line[..<equals])
      let value = Self.unquoted(Self.trimmed(line[line.index(after: equals)...]))
      entries.append((String(name), String(value), index + 1))
    }
  }

  subscript(name: String) -> String? {
    entries.last { $0.name == name }?.value
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }

  private static func unquoted(_ text: Substring) -> Substring {
    guard text.count >= 2, let first = text.first, first == text.last, first == "\"" || first == "'" else {
      return text
    }
    return text.dropFirst().dropLast()
  }
}
