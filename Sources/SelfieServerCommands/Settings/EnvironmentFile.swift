import Platform

/// A file of `NAME=value` lines. Lines that begin with `#` are comments. Quotes around a value are not part of it.
struct EnvironmentFile {
  private(set) var entries: [(name: String, value: String, line: Int)] = []
  private(set) var problems: [String] = []

  /// More than any configuration has.
  private static let maxBytes = 1024 * 1024

  /// Reads a file. A missing file is taken for an empty one.
  init(path: String) {
    let contents: [UInt8]
    do {
      contents = try FileSystem.contents(of: path, maxBytes: Self.maxBytes) ?? []
    } catch {
      problems.append("\(path) cannot be read: \(error.reason).")
      return
    }
    let text = String(decoding: contents, as: UTF8.self)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.wholeMatch(of: /(?s)\s*(#.*)?/) != nil { continue }
      // White space around the name and the value is not part of them.
      guard let match = line.wholeMatch(of: /(?s)\s*([^=\s][^=]*?)\s*=\s*(?:(["'])(.*)\2|(.*?))\s*/) else {
        problems.append("\(path):\(index + 1): this line does not have the form NAME=value.")
        continue
      }
      entries.append((String(match.1), String(match.3 ?? match.4 ?? ""), index + 1))
    }
  }

  subscript(name: String) -> String? {
    entries.last { $0.name == name }?.value
  }
}
