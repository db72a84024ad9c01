/// A streaming parser of multipart bodies that reads them exactly as rack 1.5.2 did.
///
/// Give it bytes with `append`, then call `next` until it returns `needsMore`; so it never holds much. After the last
/// byte call `finish`. However the body is cut into pieces, the parts and their bytes are the same.
public struct MultipartParser: Sendable {
  public enum Event: Sendable, Equatable {
    /// A part begins.
    case part(PartHead)
    /// Bytes of the part, never empty; a part may have none or many.
    case data(ArraySlice<UInt8>)
    /// The part has ended.
    case partEnd
    /// Nothing more until further bytes are appended.
    case needsMore
    /// The closing boundary was read; whatever follows is ignored.
    case end
  }

  /// Bytes before the first boundary. Clients send a line at most, so a wrong boundary is found early.
  public static let maxPreamble = 16_384
  /// Bytes in the head of one part; clients send about 150.
  public static let maxHead = 8_192
  /// Parts in one body; the widest form has five.
  public static let maxParts = 32
  /// RFC 2046, section 5.1.1.
  public static let maxBoundary = 70

  private enum State {
    case preamble, head, data, end
    case failed(ParameterError)
  }

  private let delimiter: [UInt8]
  private var state = State.preamble
  private var buffer: ArraySlice<UInt8> = []
  private var preambleCount = 0
  private var partCount = 0
  private var bytesToDrop = 0

  /// - Parameter boundary: without the leading dashes.
  public init(boundary: [UInt8]) {
    delimiter = Array("--".utf8) + boundary
  }

  /// Takes further bytes of the body.
  public mutating func append(_ bytes: [UInt8]) {
    if case .end = state { return }
    if buffer.isEmpty {
      buffer = bytes[...]
    } else {
      buffer.append(contentsOf: bytes)
    }
  }

  /// The next event in the bytes so far. Throws, and from then on always, if they are not a multipart body or exceed the
  /// limits.
  public mutating func next() throws(ParameterError) -> Event {
    do throws(ParameterError) {
      return try advance()
    } catch {
      state = .failed(error)
      buffer = []
      throw error
    }
  }

  /// To be called at the end of the body, after `next` has returned `needsMore` or `end`. Throws unless the closing
  /// boundary was read.
  public func finish() throws(ParameterError) {
    switch state {
    case .end: return
    case .failed(let error): throw error
    case .preamble: throw Self.noFirstBoundary
    case .head:
      throw ParameterError(
        message: "bad content body: the multipart body ends within the head of a part. "
          + "An empty line ends a head, and the boundary followed by \"--\" ends the body; lines end in CR LF.")
    case .data:
      throw ParameterError(
        message: "bad content body: the multipart body ends within a part. "
          + "It must end with the closing boundary: \"--\", the boundary, \"--\".")
    }
  }

  private mutating func advance() throws(ParameterError) -> Event {
    if case .preamble = state {
      guard try skipPreamble() else { return .needsMore }
      state = .head
    }
    switch state {
    case .head:
      guard let head = try takeHead() else { return .needsMore }
      state = .data
      return .part(head)
    case .data: return takeData()
    case .end: return .end
    case .failed(let error): throw error
    case .preamble: return .needsMore
    }
  }

  private static let noFirstBoundary = ParameterError(
    message: "bad content body: the multipart body does not begin with its boundary. It needs a line of \"--\" and the "
      + "boundary that Content-Type names, ended by CR LF.")

  /// Drops lines until one is exactly the delimiter: gsub!(/\A([^\n]*\n)/, '') until $1 == "--B\r\n".
  private mutating func skipPreamble() throws(ParameterError) -> Bool {
    while let lineFeed = buffer.firstOccurrence(of: [.lineFeed], from: buffer.startIndex) {
      let line = buffer[...lineFeed]
      preambleCount += line.count
      guard preambleCount <= Self.maxPreamble else { throw Self.noFirstBoundary }
      buffer = buffer[(lineFeed + 1)...]
      if line.count == delimiter.count + 2 && line.starts(with: delimiter) && line.dropLast().last == .carriageReturn {
        return true
      }
    }
    guard preambleCount + buffer.count <= Self.maxPreamble else { throw Self.noFirstBoundary }
    return false
  }

  /// Takes everything up to the first empty line, even if there is a delimiter in it: rack looks for the end of the head
  /// before it looks for a boundary.
  private mutating func takeHead() throws(ParameterError) -> PartHead? {
    let dropped = min(bytesToDrop, buffer.count)
    bytesToDrop -= dropped
    buffer = buffer.dropFirst(dropped)

    let end = buffer.firstOccurrence(of: Array("\r\n\r\n".utf8), from: buffer.startIndex)
    // The least the head can have, whether or not its end has arrived: the last three bytes may belong to the end.
    let leastCount = end.map { $0 + 2 - buffer.startIndex } ?? (buffer.count - 1)
    guard leastCount <= Self.maxHead else {
      throw ParameterError(message: "The head of a multipart part is too long: at most \(Self.maxHead) bytes.")
    }
    guard let end else { return nil }
    partCount += 1
    guard partCount <= Self.maxParts else {
      throw ParameterError(message: "Too many parts in the multipart body: send at most \(Self.maxParts).")
    }
    let head = try PartHead(Array(buffer[..<(end + 2)]))
    buffer = buffer[(end + 4)...]
    return head
  }

  /// The data before the next delimiter, or the end of the part if the delimiter comes first.
  private mutating func takeData() -> Event {
    guard let delimiterStart = firstDelimiter() else {
      let held = heldBackStart()
      let data = buffer[..<held]
      buffer = buffer[held...]
      return data.isEmpty ? .needsMore : .data(data)
    }
    let hasLeadingLineBreak = buffer[..<delimiterStart].suffix(2).elementsEqual("\r\n".utf8)
    let data = buffer[..<delimiterStart].dropLast(hasLeadingLineBreak ? 2 : 0)
    guard data.isEmpty else {
      buffer = buffer[data.endIndex...]
      return .data(data)
    }
    // rack always drops as many bytes as a delimiter with a leading CRLF has: slice!(0, @boundary_size+2).
    bytesToDrop = hasLeadingLineBreak ? 0 : 2
    let rest = buffer[(delimiterStart + delimiter.count)...]
    let isClosing = rest.first == UInt8(ascii: "-")
    buffer = isClosing ? [] : rest.dropFirst(2)
    state = isClosing ? .end : .head
    return .partEnd
  }

  /// Where /--B(\r\n|--)/n begins, anywhere in a line.
  private func firstDelimiter() -> Int? {
    var from = buffer.startIndex
    while let hit = buffer.firstOccurrence(of: delimiter, from: from) {
      let after = buffer[(hit + delimiter.count)...].prefix(2)
      guard after.count == 2 else { return nil }
      if after.elementsEqual("--".utf8) || after.elementsEqual("\r\n".utf8) { return hit }
      from = hit + 1
    }
    return nil
  }

  /// Where bytes begin that may become a delimiter when more arrive; the end if there are none.
  private func heldBackStart() -> Int {
    let longest = delimiter.count + 3
    return buffer.indices.suffix(longest).first(where: mayBeginDelimiter) ?? buffer.endIndex
  }

  private func mayBeginDelimiter(_ start: Int) -> Bool {
    var rest = buffer[start...]
    if rest.first == .carriageReturn {
      rest = rest.dropFirst()
      guard let second = rest.first else { return true }
      guard second == .lineFeed else { return false }
      rest = rest.dropFirst()
    }
    guard rest.count > delimiter.count else { return delimiter.starts(with: rest) }
    let after = rest.dropFirst(delimiter.count)
    guard after.count == 1, rest.starts(with: delimiter) else { return false }
    return after.first == .carriageReturn || after.first == UInt8(ascii: "-")
  }
}

extension MultipartParser {
  /// The boundary that a Content-Type names; nil if it names none, or is not multipart.
  ///
  /// rack's %r|\Amultipart/.*boundary=\"?([^\";,]+)\"?|n, which is case-sensitive; the last `boundary=` counts. Throws
  /// if the boundary is longer than RFC 2046 allows.
  public static func boundary(contentType: ArraySlice<UInt8>) throws(ParameterError) -> [UInt8]? {
    let name = Array("boundary=".utf8)
    guard contentType.starts(with: "multipart/".utf8) else { return nil }
    let parameters = contentType.dropFirst("multipart/".utf8.count)
    for start in parameters.indices.reversed() where parameters[start...].starts(with: name) {
      var value = parameters[(start + name.count)...]
      if value.first == .quote { value = value.dropFirst() }
      value = value.prefix { $0 != .quote && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
      guard !value.isEmpty else { continue }
      guard value.count <= maxBoundary else {
        throw ParameterError(message: "The multipart boundary is too long: at most \(maxBoundary) characters.")
      }
      return Array(value)
    }
    return nil
  }
}
