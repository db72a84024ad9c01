import Glibc

/// Reads the settings: flags override the environment, which overrides the configuration file. No other file reads the
/// environment.
struct SettingSources {
  private var values: [Setting: String] = [:]
  /// Mistakes in the file.
  private(set) var problems: [String] = []

  /// - Parameters:
  ///   - flags: the settings on the command line.
  ///   - file: the path of the configuration file, which must exist; if nil, the usual one, which need not.
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

  /// The value of a setting; nil if it has none or an empty one.
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
