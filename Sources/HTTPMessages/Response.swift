package import Platform

/// A response. The server adds the fields for its length, the date and the connection. What the API's responses have in
/// common is in Responses.swift in SelfieAPI. `ResponseWriter` in HTTPServer writes the head.
package struct Response: Sendable {
  package enum Body: Sendable {
    case bytes([UInt8])
    /// A part of a file, sent from the page cache without a copy.
    case file(OpenFile, offset: Int64, length: Int64)
    /// A part of what is fetched piece by piece.
    case stream(BodyStream, offset: Int64, length: Int64)
    /// All that is fetched piece by piece, until the source has no more.
    case pages(BodyStream)
    /// The whole response, its head included, until the source has no more. Then the connection ends: by a reset if the
    /// source fails.
    case raw(BodyStream)

    /// How many bytes it has; nil if that is known at its end only.
    package var length: Int64? {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .file(_, _, let length), .stream(_, _, let length): length
      case .pages, .raw: nil
      }
    }

    /// Whether the server holds it, or a piece of it, in memory while it is sent.
    package var isInMemory: Bool {
      if case .file = self { false } else { true }
    }

    /// Whether its bytes are still to be fetched.
    package var isStreamed: Bool {
      switch self {
      case .bytes, .file: false
      case .stream, .pages, .raw: true
      }
    }

    /// Its bytes; nil if they are in a file, or are still to be fetched.
    package var content: [UInt8]? {
      if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// A part of the body; shorter if the body ends before, and all of it if its length is not known.
    package func part(from start: Int64, count: Int64) -> Response.Body {
      guard let length else { return self }
      let start = min(max(0, start), length)
      let count = min(max(0, count), length - start)
      switch self {
      case .bytes(let bytes): return .bytes(Array(bytes[Int(start)..<Int(start + count)]))
      case .file(let file, let offset, _): return .file(file, offset: offset + start, length: count)
      case .stream(let stream, let offset, _): return .stream(stream, offset: offset + start, length: count)
      case .pages, .raw: return self
      }
    }
  }

  package var status: Status
  package var fields: ResponseFields
  package var body: Body
  /// Whether the server must close the connection after this response.
  package var closesConnection = false

  package init(status: Status, fields: ResponseFields = ResponseFields(), body: Body = .bytes([])) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}

/// The header fields of a response, stored as the lines that will be sent.
package struct ResponseFields: Sendable {
  /// `Name: value` lines, each with its CRLF.
  package private(set) var lines: [UInt8] = []

  package init() {}

  /// - Parameter lines: well-formed field lines, each with its CRLF.
  package init(lines: StaticString) {
    // Room for the fields of most responses, so that the array never grows.
    self.lines.reserveCapacity(512)
    lines.withUTF8Buffer { self.lines.append(contentsOf: $0) }
  }

  /// Adds a field whose value is known to hold no control characters.
  package mutating func append(_ name: StaticString, _ value: StaticString) {
    append(name)
    value.withUTF8Buffer { lines.append(contentsOf: $0) }
    endLine()
  }

  /// Adds a field. Control characters in the value become spaces, so that no value can end its line and begin another
  /// field (RFC 9110 §5.5).
  package mutating func append(_ name: StaticString, _ value: [UInt8]) {
    append(name)
    if value.contains(where: Self.isControl) {
      lines.append(contentsOf: value.map { Self.isControl($0) ? 0x20 : $0 })
    } else {
      lines.append(contentsOf: value)
    }
    endLine()
  }

  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }

  /// Adds a field. Control characters in the value become spaces.
  package mutating func append(_ name: StaticString, _ value: String) {
    append(name, Array(value.utf8))
  }

  /// Adds complete field lines.
  package mutating func append(lines other: [UInt8]) {
    lines.append(contentsOf: other)
  }

  /// The value of the first field of this name. It searches the lines.
  package subscript(name: String) -> String? {
    value(of: Array(name.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The value of the first field of this name, in any case of its letters. Looks at each line's beginning and end only.
  package func value(of name: [UInt8]) -> ArraySlice<UInt8>? {
    var rest = lines[...]
    while let end = rest.firstOccurrence(of: Self.lineFeed, from: rest.startIndex) {
      let line = rest[..<end]
      let isWanted =
        line.count > name.count && line[line.startIndex + name.count] == UInt8(ascii: ":")
        && zip(line, name).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
      if isWanted { return line.dropFirst(name.count + 1).dropLast().trimmed }
      rest = rest[(end + 1)...]
    }
    return nil
  }

  private static let lineFeed = [UInt8.lineFeed]

  private mutating func append(_ name: StaticString) {
    name.withUTF8Buffer { lines.append(contentsOf: $0) }
    lines.append(UInt8(ascii: ":"))
    lines.append(UInt8(ascii: " "))
  }

  private mutating func endLine() {
    lines.append(0x0d)
    lines.append(0x0a)
  }
}
