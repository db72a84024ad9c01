/// A parameter in the journal, with secrets masked.
public indirect enum RecordedValue: Sendable, Equatable {
  case null
  case boolean(Bool)
  /// As it was sent.
  case number(String)
  case text(String)
  case list([RecordedValue])
  case members([String: RecordedValue])
  case file(RecordedFile)

  /// The text of a string, a number or a boolean.
  public var text: String? {
    switch self {
    case .text(let text), .number(let text): text
    case .boolean(let isTrue): isTrue ? "true" : "false"
    case .null, .list, .members, .file: nil
    }
  }

  /// The value at a path of members and elements, such as `user.name`, `photos.0.title` or `image.byte_count`.
  subscript(path: Substring) -> RecordedValue? {
    if path.isEmpty { return self }
    switch self {
    case .members(let members): return Self.find(path, in: members)
    case .list(let elements):
      let (first, rest) = Self.step(path)
      guard let index = Int(first), elements.indices.contains(index) else { return nil }
      return elements[index][rest]
    case .file(let file): return Self.find(path, in: file.members)
    case .null, .boolean, .number, .text: return nil
    }
  }

  /// The value at a path. A member whose name contains dots takes precedence.
  static func find(_ path: Substring, in members: [String: RecordedValue]) -> RecordedValue? {
    if let value = members[String(path)] { return value }
    let (first, rest) = step(path)
    return rest.isEmpty ? nil : members[String(first)]?[rest]
  }

  private static func step(_ path: Substring) -> (first: Substring, rest: Substring) {
    let first = path.prefix { $0 != "." }
    return (first, path[first.endIndex...].dropFirst())
  }

  /// About how many bytes of memory the value takes.
  var weight: Int {
    switch self {
    case .null, .boolean: 16
    case .number(let text), .text(let text): 32 + text.utf8.count
    case .list(let elements): elements.reduce(48) { $0 + 16 + $1.weight }
    case .members(let members): Self.weight(of: members)
    case .file(let file): 96 + (file.filename?.utf8.count ?? 0)
    }
  }

  static func weight(of members: [String: RecordedValue]) -> Int {
    members.reduce(64) { $0 + 48 + $1.key.utf8.count + $1.value.weight }
  }
}

/// A file in a multipart body, without its bytes.
public struct RecordedFile: Sendable, Equatable {
  /// The base name that the client sent.
  public let filename: String?
  /// How many bytes of the file were read.
  public let byteCount: Int
  /// The media type that the first bytes of the file indicate. The type that the client sends does not count.
  public let contentType: String

  var members: [String: RecordedValue] {
    [
      "filename": filename.map { .text($0) } ?? .null, "byte_count": .number("\(byteCount)"),
      "content_type": .text(contentType),
    ]
  }
}
