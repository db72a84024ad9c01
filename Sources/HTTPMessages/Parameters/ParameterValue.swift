/// The value of a request parameter, whichever of query, JSON, form or multipart it came in.
public indirect enum ParameterValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A JSON number, as it was written.
  case number(String)
  case string(String)
  case array([ParameterValue])
  case object([String: ParameterValue])
  case file(FilePart)

  /// Ruby's truthiness: null and false count as missing; an empty string, 0 and an empty object are there.
  public var isPresent: Bool {
    switch self {
    case .null, .bool(false): false
    default: true
    }
  }
}

extension ParameterValue? {
  /// As `ParameterValue.isPresent`; an absent parameter is missing.
  public var isPresent: Bool {
    self?.isPresent ?? false
  }
}

/// A file of a multipart body, without its bytes.
public struct FilePart: Sendable, Equatable {
  /// The base name the client gave; nil when it consisted of path separators only.
  public let filename: String?
  /// How many bytes the file has.
  public let byteCount: Int
  /// The media type that its first bytes are of; nil where nobody has looked.
  public let contentType: String?

  /// A file that a multipart parser has read.
  public init(filename: String?, byteCount: Int, contentType: String? = nil) {
    self.filename = filename
    self.byteCount = byteCount
    self.contentType = contentType
  }
}
