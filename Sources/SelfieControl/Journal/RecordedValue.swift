/// A parameter as the journal shows it, with what is secret in it masked.
public indirect enum RecordedValue: Sendable, Equatable {
  case null
  case boolean(Bool)
  /// As it was written.
  case number(String)
  case text(String)
  case list([RecordedValue])
  case members([String: RecordedValue])
  case file(RecordedFile)

  /// What stands there, where that is one text, number or boolean.
  public var text: String? {
    switch self {
    case .text(let text), .number(let text): text
    case .boolean(let isTrue): isTrue ? "true" : "false"
    case .null, .list, .members, .file: nil
    }
  }

  /// The value of a member, an element or what is known of a file; of a member of a member by a way such as
  /// `user.name`, `photos.0.title` or `image.byte_count`.
  subscript(way: Substring) -> RecordedValue? {
    if way.isEmpty { return self }
    switch self {
    case .members(let members): return Self.find(way, in: members)
    case .list(let elements):
      let (first, rest) = Self.step(way)
      guard let index = Int(first), elements.indices.contains(index) else { return nil }
      return elements[index][rest]
    case .file(let file): return Self.find(way, in: file.members)
    case .null, .boolean, .number, .text: return nil
    }
  }

  /// What a way leads to; a name with a dot in it goes before a way.
  static func find(_ way: Substring, in members: [String: RecordedValue]) -> RecordedValue? {
    if let value = members[String(way)] { return value }
    let (first, rest) = step(way)
    return rest.isEmpty ? nil : members[String(first)]?[rest]
  }

  private static func step(_ way: Substring) -> (first: Substring, rest: Substring) {
    let first = way.prefix { $0 != "." }
    return (first, way[first.endIndex...].dropFirst())
  }

  /// About how many bytes of memory it takes.
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

/// A file of a multipart body, without its bytes.
public struct RecordedFile: Sendable, Equatable {
  /// The base name that the client gave.
  public let filename: String?
  /// How many bytes of it were read.
  public let byteCount: Int
  /// The media type that its first bytes are of, whatever the client calls it.
  public let contentType: String

  var members: [String: RecordedValue] {
    [
      "filename": filename.map { .text($0) } ?? .null, "byte_count": .number("\(byteCount)"),
      "content_type": .text(contentType),
    ]
  }
}
