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
