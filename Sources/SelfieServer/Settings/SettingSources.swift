import Glibc
import Platform

/// Reads the settings: flags override the environment, which overrides the configuration file. No other file reads the
/// environment. `EnvironmentFile` parses the file, and `Settings` has the values of the texts.
struct SettingSources {
  private var values: [String: (text: String, origin: String)] = [:]
  /// Mistakes in the file.
  private(set) var problems: [String] = []
  /// The folder with `Config` and the storage where these are not set.
  private let home: String
  /// The configuration file, whether or not it exists.
  private var configuration = ""
  /// Whether a first start may make a storage there: in a checkout, or in a folder that was named. In any other folder a
  /// new and empty storage would look as if the data were lost.
  let mayHaveNewStorage: Bool
  /// Other Swift packages have the first of them, too.
  private static let checkoutFiles = ["Package.swift", "bin/serve"]

  /// - Parameters:
  ///   - flags: the settings on the command line, by their names.
  ///   - file: the path of the configuration file, which must exist; if nil, the usual one, which need not.
  ///   - home: the folder with `Config` and the storage; if nil, the working folder.
  ///   - installation: the file to use unless this is a checkout or the home folder was named.
  init(flags: [String: String], file: String?, home: String?, installation: String?) {
    self.home = home ?? "."
    mayHaveNewStorage = home != nil || Self.checkoutFiles.allSatisfy { (try? FileSystem.exists($0)) ?? false }
    if let file {
      if access(file, F_OK) != 0 { problems.append("--config is \(file), but there is no such file.") }
      readFile(file, isUsual: false)
    } else if !mayHaveNewStorage, let file = installation, access(file, F_OK) == 0 {
      readFile(file, isUsual: false)
      if access(file, R_OK) != 0 {
        problems.append(
          "Run the command as root or as the server's user, for example with sudo -u selfie-server, or pass --config.")
      }
    } else {
      readFile(path(Self.usualFile), isUsual: true)
    }
    for setting in SettingTable.rows {
      if let value = Self.environment(setting.name) { set(setting.name, value, from: "the environment") }
      guard let name = setting.fileName, let path = Self.environment(name), !path.isEmpty else { continue }
      if Self.environment(setting.name)?.isEmpty == false {
        problems.append("\(setting.name) and \(name) are both set. Set one of them.")
      }
      readSecret(setting, from: path)
    }
    for (name, flag) in flags { set(name, flag, from: "the command line") }
    for setting in SettingTable.rows where setting.isPath {
      checkEncoding(setting)
      if let path = self[setting] {
        checkExpansion(of: path, named: setting.name)
        checkScheme(of: path, named: setting.name)
      }
    }
  }

  /// A path whose bytes are not UTF-8 would lead elsewhere, where a new folder would be made.
  private mutating func checkEncoding(_ setting: any SettingRow) {
    guard let text = self[setting], text.contains("\u{fffd}") else { return }
    var shown = text
    let start = Array("\(setting.name)=".utf8)
    if let variable = Self.environmentVariables.first(where: { $0.starts(with: start) }),
      case let bytes = Array(variable.dropFirst(start.count)), String(decoding: bytes, as: UTF8.self) == text
    {
      shown = String(printable: bytes)
    }
    problems.append("\(setting.name) is \(shown), which is not UTF-8. Give the folder or file another name.")
  }

  /// Refuses a path that only a shell would have completed: a service and a container are started by none.
  private mutating func checkExpansion(of path: String, named name: String) {
    guard path.hasPrefix("~") || path.contains("/~/") || path.contains("$"), access(path, F_OK) != 0 else { return }
    let home = Self.environment("HOME") ?? "/home/ada"
    let words = [("~/", "\(home)/"), ("${HOME}", home), ("$HOME", home)]
    let whole = words.reduce(path) { path, word in
      word.0 == "~/" && !path.hasPrefix("~/") ? path : path.replacing(word.0, with: word.1, maxReplacements: 1)
    }
    let remedy = whole.contains { "~$".contains($0) } ? "" : ", such as \(whole)"
    problems.append("\(name) is \(path). Only a shell replaces ~ and $: write the whole path\(remedy).")
  }

  /// Refuses an address, such as that of a bucket.
  private mutating func checkScheme(of path: String, named name: String) {
    guard path.contains("://") else { return }
    problems.append("\(name) is \(path), which is an address. It must be the path of a file or folder of this machine.")
  }

  /// The path of a name in the home folder. An absolute path stays as it is, and so does an empty one.
  func path(_ name: String) -> String {
    home == "." || name.isEmpty || name.hasPrefix("/") ? name : "\(home)/\(name)"
  }

  private static let usualFile = "Config/server.env"

  /// The settings of the service, if this executable is installed in the `bin` of a tree such as /usr. Nil for one in a
  /// build's folder.
  static var installedFile: String? {
    guard let folder = FileSystem.realPath("/proc/self/exe").map(FileSystem.parent), folder.hasSuffix("/bin")
    else { return nil }
    let prefix = folder.dropLast("/bin".count)
    return "\(prefix == "/usr" ? "" : prefix)/etc/selfie-server/server.env"
  }

  /// The value of a setting; nil if it has none or an empty one.
  subscript(setting: any SettingRow) -> String? {
    values[setting.name].flatMap { $0.text.isEmpty ? nil : $0.text }
  }

  /// Where the value of a setting comes from; nil if it has none.
  func origin(of setting: any SettingRow) -> String? { self[setting] == nil ? nil : values[setting.name]?.origin }

  mutating func set(_ name: String, _ value: String, from origin: String) {
    values[name] = (value, origin)
  }

  /// The value of a variable of the environment.
  static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// The names of the environment's variables.
  static var environmentNames: [String] {
    environmentVariables.map { variable in
      String(decoding: variable.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }
  }

  /// The environment's variables as they are, each a name, `=` and a value.
  private static var environmentVariables: [ArraySlice<UInt8>] {
    let variables = try? FileSystem.contents(of: "/proc/self/environ", maxBytes: maxEnvironmentBytes)
    return (variables ?? []).split(separator: 0)
  }

  /// Sentences about values that the owner has probably not meant.
  var warnings: [String] {
    unreadFiles.map { "\($0) has settings, but is not read. The configuration file is \(configuration)" }
      + SettingTable.rows.compactMap { row in self[row].flatMap(row.doubt) }
      + SettingTable.rows.filter(hasSpaceAround).map {
        "\($0.name) begins or ends with white space, which is a part of it"
      }
  }

  /// Files that an owner may have taken for the configuration file.
  private var unreadFiles: [String] {
    [Self.usualFile, "\(Self.usualFile).txt", "server.env", ".env"].map(path).filter { name in
      name != configuration && EnvironmentFile(path: name).entries.contains { SettingTable.names.contains($0.name) }
    }
  }

  private func hasSpaceAround(_ setting: any SettingRow) -> Bool {
    guard let value = self[setting] else { return false }
    return value.first?.isWhitespace == true || value.last?.isWhitespace == true
  }

  /// A sentence for each variable of the environment that looks like a misspelt setting.
  static func warnings(about names: [String]) -> [String] {
    names.filter { !SettingTable.names.contains($0) }.compactMap { name in
      SettingTable.name(like: name).map { "\(name) in the environment is not a setting. Did you mean \($0)?" }
    }
  }

  /// More than Linux gives a program by default.
  private static let maxEnvironmentBytes = 4 * 1024 * 1024

  /// Reads a setting from a file of its own, as container platforms provide secrets. Line ends at its end do not count.
  private mutating func readSecret(_ setting: any SettingRow, from path: String) {
    let name = setting.fileName ?? setting.name
    checkExpansion(of: path, named: name)
    guard let contents = Self.contents(of: path, of: name, maxBytes: Self.maxSecretBytes, &problems) else { return }
    let text = String(decoding: contents, as: UTF8.self).withoutMark
    let end = text.lastIndex { !$0.isNewline }.map(text.index(after:)) ?? text.startIndex
    set(setting.name, String(text[..<end]), from: path)
    if text[..<end].isEmpty || contents.count > Self.maxSecretBytes {
      problems.append("\(name) is \(path), but that file is empty or too large.")
    }
  }

  /// The contents of a file that a setting names; nil after a problem.
  static func contents(
    of path: String, of setting: String, maxBytes: Int, _ problems: inout [String]
  ) -> [UInt8]? {
    do {
      if let contents = try FileSystem.contents(of: path, maxBytes: maxBytes) { return contents }
      problems.append("\(setting) is \(path), but there is no such file.")
    } catch {
      problems.append("\(setting) is \(path), which cannot be read: \(error.reason).")
    }
    return nil
  }

  /// Far more than any password.
  private static let maxSecretBytes = 64 * 1024

  /// Paths in the usual file are as seen from the home folder, and all others as seen from the working folder.
  private mutating func readFile(_ path: String, isUsual: Bool) {
    configuration = path
    let file = EnvironmentFile(path: path)
    problems += file.problems
    for entry in file.entries {
      let name = entry.name
      if let setting = SettingTable.rows.first(where: { $0.name == name }) {
        set(name, isUsual && setting.isPath ? self.path(entry.value) : entry.value, from: path)
      } else if let setting = SettingTable.rows.first(where: { $0.fileName == name }) {
        readSecret(setting, from: isUsual ? self.path(entry.value) : entry.value)
      } else {
        let export = name.hasPrefix("export ") ? String(name.dropFirst("export ".count)) : nil
        let remedy =
          export.map { "Leave out export, as in \($0)=…: no shell reads this file." }
          ?? SettingTable.name(like: name).map { "Did you mean \($0)?" } ?? "selfie-server settings lists all settings."
        problems.append("\(path):\(entry.line): there is no setting \(name). \(remedy)")
      }
    }
  }
}
