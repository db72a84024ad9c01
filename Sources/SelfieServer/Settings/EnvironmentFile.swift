import Platform

/// A file of `NAME=value` lines. Lines that begin with `#` are comments. Quotes around a value are not part of it.
/// `SettingSources` decides which values count.
struct EnvironmentFile {
  struct Entry {
    let name: String
    let value: String
    /// Counted from 1.
    let line: Int
  }

  private(set) var entries: [Entry] = []
  private(set) var problems: [String] = []
  private(set) var exists = false

  /// More than any configuration has.
  private static let maxBytes = 1024 * 1024

  /// Reads a file. A missing file is taken for an empty one.
  init(path: String) {
    let contents: [UInt8]
    do {
      let found = try FileSystem.contents(of: path, maxBytes: Self.maxBytes)
      exists = found != nil
      contents = found ?? []
    } catch {
      problems.append("\(path) cannot be read: \(error.reason).")
      return
    }
    let text = String(decoding: contents, as: UTF8.self).withoutMark
    // To Swift, CR and LF are one character.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let line = Self.trimmed(line)
      if line.isEmpty || line.first == "#" { continue }
      guard let equals = line.firstIndex(of: "="), equals != line.startIndex else {
        problems.append("\(path):\(index + 1): this line does not have the form NAME=value.")
        continue
      }
      let name = Self.trimmed(line[..<equals])
      let value = Self.unquoted(Self.trimmed(line[line.index(after: equals)...]))
      entries.append(Entry(name: String(name), value: String(value), line: index + 1))
    }
  }

  subscript(name: String) -> String? {
    entries.last { $0.name == name }?.value
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let text = text.drop(while: \.isWhitespace)
    return text.lastIndex { !$0.isWhitespace }.map { text[...$0] } ?? ""
  }

  private static func unquoted(_ text: Substring) -> Substring {
    guard text.count >= 2, let first = text.first, first == text.last, first == "\"" || first == "'" else {
      return text
    }
    return text.dropFirst().dropLast()
  }
}
