import Platform

/// A streaming parser of multipart bodies (RFC 2046 §5.1.1, RFC 7578). `MultipartForm` in SelfieAPI collects the parts
/// as parameters.
///
/// Give it bytes with `append`, then call `next` until it returns `needsMore`; so it never holds much. After the last
/// byte call `finish`. However the body is cut into pieces, the parts and their bytes are the same.
package struct MultipartParser: Sendable {
  package enum Event: Sendable, Equatable {
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
  package static let maxPreamble = 16_384
  /// Bytes in the head of one part; clients send about 150.
  package static let maxHead = 8_192
  /// Bytes in the heads of all parts, which an event loop reads in about 20 ns a byte.
  package static let maxHeads = 16_384
  /// Parts in one body; the widest form has five.
  package static let maxParts = 32
  /// RFC 2046, section 5.1.1.
  package static let maxBoundary = 70

  private enum State {
    case preamble, head, data, end
    case failed(ParameterError)
  }

  /// White space after a boundary. RFC 2046 allows it for gateways that pad lines; more would have to be held.
  private static let maxPadding = 64

  /// With the line end before it, which belongs to it.
  private let delimiter: [UInt8]
  private var state = State.preamble
  /// The first delimiter, and one directly after a head, need no line end of their own: one stands here before them.
  private var buffer: ArraySlice<UInt8> = [.carriageReturn, .lineFeed]
  /// Bytes of the array behind `buffer`.
  package private(set) var heldBytes = 2
  /// Bytes of the body so far.
  private var receivedCount = 0
  private var preambleCount = 0
  /// The end of the preamble that was dropped: three bytes, without the blanks that follow them, but for the first.
  private var preambleEnd: [UInt8] = []
  /// As much of the body as could be its first line.
  private var opening: [UInt8] = []
  private var partCount = 0
  private var headBytes = 0
  /// The bytes of such a line end, which are not of the part.
  private var bytesToDrop = 0

  /// - Parameter boundary: without the leading dashes.
  package init(boundary: [UInt8]) {
    delimiter = Array("\r\n--".utf8) + boundary
  }

  /// Takes further bytes of the body.
  package mutating func append(_ bytes: [UInt8]) {
    if case .end = state { return }
    receivedCount += bytes.count
    if case .preamble = state { opening += bytes.prefix(Self.maxBoundary + 2 - opening.count) }
    if buffer.isEmpty {
      (buffer, heldBytes) = (bytes[...], bytes.count)
    } else {
      buffer.append(contentsOf: bytes)
      heldBytes += bytes.count
    }
  }

  /// The next event in the bytes so far. Throws, and from then on always, if they are not a multipart body or exceed the
  /// limits.
  package mutating func next() throws(ParameterError) -> Event {
    do throws(ParameterError) {
      let event = try advance()
      if event == .needsMore || event == .end { releaseTaken() }
      return event
    } catch {
      state = .failed(error)
      (buffer, heldBytes) = ([], 0)
      throw error
    }
  }

  /// Where a byte of the buffer stands in the body.
  private func offset(of index: Int) -> Int { receivedCount - (buffer.endIndex - index) }

  /// Keeps only what is still to be read: a slice of a few bytes would keep the whole array.
  private mutating func releaseTaken() {
    guard heldBytes > 2 * buffer.count else { return }
    buffer = Array(buffer)[...]
    heldBytes = buffer.count
  }

  /// To be called at the end of the body, after `next` has returned `needsMore` or `end`. Throws unless the closing
  /// boundary was read.
  package func finish() throws(ParameterError) {
    switch state {
    case .end: return
    case .failed(let error): throw error
    case .preamble: throw noFirstBoundary
    case .head:
      try refuseDelimiter(inHead: buffer)
      // After the line end of the last boundary there is nothing.
      let isUnclosed = buffer.dropFirst(2).allSatisfy(\.isSpace)
      throw openHead(
        isUnclosed ? "the body ends with the line \"\(line)\"; expected \"\(line)--\" as its last line" : nil,
        at: receivedCount)
    case .data:
      throw ParameterError(
        message: "bad content body: the multipart body ends within a part. "
          + "It must end with the closing boundary: \"--\", the boundary, \"--\".",
        detail:
          "the body ends within a part, without the closing boundary \"\(line)--\"; if it was sent, Content-Length "
          + "is too small",
        offset: receivedCount)
    }
  }

  /// That of a boundary.
  private var line: String { String(decoding: delimiter.dropFirst(2), as: UTF8.self) }

  private mutating func advance() throws(ParameterError) -> Event {
    if case .preamble = state, try !skipPreamble() { return .needsMore }
    switch state {
    case .head:
      guard let head = try takeHead() else { return .needsMore }
      state = .data
      return .part(head)
    case .data: return try takeData()
    case .end: return .end
    case .failed(let error): throw error
    case .preamble: return .needsMore
    }
  }

  private var noFirstBoundary: ParameterError {
    let first = String(decoding: opening.prefix { $0 != .carriageReturn && $0 != .lineFeed }, as: UTF8.self)
    guard !opening.isEmpty else {
      return ParameterError(
        message: Self.noFirstBoundaryMessage,
        detail: "no body came, as without Content-Length; Content-Type asks for one that begins with the line "
          + "\"\(line)\"")
    }
    let found =
      if first.hasPrefix("--") {
        "begins with the line \"\(first)\""
      } else if opening.first == UInt8(ascii: "{") {
        "looks like JSON"
      } else if opening.starts(with: [0x1f, 0x8b]) {
        "looks like gzip"
      } else {
        "does not begin with a boundary"
      }
    return ParameterError(
      message: Self.noFirstBoundaryMessage,
      detail: "the body \(found); Content-Type asks for the line \"\(line)\", ended by CR LF")
  }
  private static let noFirstBoundaryMessage =
    "bad content body: the multipart body does not begin with its boundary. It needs a line of \"--\" and the "
    + "boundary that Content-Type names, ended by CR LF."
  private func openHead(_ detail: String?, at offset: Int) -> ParameterError {
    ParameterError(
      message:
        "bad content body: the multipart body ends, or has its boundary, within the head of a part. An empty line "
        + "ends a head, and the boundary followed by \"--\" ends the body; lines end in CR LF.",
      detail: detail, offset: offset)
  }

  /// Drops what stands before the first delimiter.
  private mutating func skipPreamble() throws(ParameterError) -> Bool {
    let next = try nextDelimiter()
    // What may be the beginning of a delimiter stays, with the byte before it.
    let start = if case .none = next.kind { max(buffer.startIndex, next.start - delimiter.count) } else { next.start }
    try refuseMisplacedBoundary(in: buffer[..<next.start])
    preambleCount += start - buffer.startIndex
    guard preambleCount <= Self.maxPreamble else { throw noFirstBoundary }
    preambleEnd = Self.end(of: withPreambleEnd(buffer[..<start]))
    buffer = buffer[start...]
    return take(next.kind)
  }

  /// Throws for a boundary in the preamble that a person would take for the first one: today's parsers disagree on it,
  /// and the part after it would be lost. In the midst of a line it is text.
  private func refuseMisplacedBoundary(in preamble: ArraySlice<UInt8>) throws(ParameterError) {
    let boundary = Array(delimiter.dropFirst(2))
    // Those before it were looked at when they had arrived: three bytes before a boundary are kept.
    var from = preamble.startIndex + (preambleCount > 0 ? 3 : 0)
    while let hit = preamble.firstOccurrence(of: boundary, from: from) {
      if let found = Self.misplacement(after: withPreambleEnd(preamble[..<hit])) {
        throw ParameterError(
          message: "bad content body: the first boundary of the multipart body does not begin a line: \(found) stands "
            + "before it. Begin the body with the boundary, or end the line before it with CR LF.",
          offset: offset(of: hit))
      }
      from = hit + 1
    }
  }

  /// The bytes, in words, that keep a boundary from beginning a line: between the two, or in place of the line end before
  /// it. Nil for one in the midst of a text.
  private static func misplacement(after before: ArraySlice<UInt8>) -> String? {
    let line = withoutBlanks(before)
    if line.hasSuffix([0xef, 0xbb, 0xbf]) { return "a byte order mark" }
    if line.last == .carriageReturn { return "a CR without LF" }
    if line.last == .lineFeed, line.count < before.count { return "white space" }
    return line.last == .lineFeed && !line.hasSuffix([.carriageReturn, .lineFeed]) ? "a LF without CR" : nil
  }

  /// The bytes, and those before them if the last line end before the blanks at their end may be there.
  private func withPreambleEnd(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    Self.withoutBlanks(bytes).count < 3 ? (preambleEnd + bytes)[...] : bytes
  }

  private static func end(of bytes: ArraySlice<UInt8>) -> [UInt8] {
    let line = withoutBlanks(bytes)
    return line.suffix(3) + bytes[line.endIndex...].prefix(1)
  }

  /// Up to the blanks at the end.
  private static func withoutBlanks(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    bytes[..<(bytes.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? bytes.startIndex)]
  }

  /// Takes everything up to the first empty line.
  private mutating func takeHead() throws(ParameterError) -> PartHead? {
    guard skipEmptyLine() else { return nil }
    let place = offset(of: buffer.startIndex + 2)
    let end = buffer.firstOccurrence(of: Array("\r\n\r\n".utf8), from: buffer.startIndex)
    // The least the head can have, whether or not its end has arrived: the last three bytes may belong to the end.
    let leastCount = end.map { $0 - buffer.startIndex } ?? (buffer.count - 3)
    guard leastCount <= Self.maxHead else {
      throw ParameterError(
        message: "The head of a multipart part is too long: at most \(Self.maxHead) bytes.", offset: place)
    }
    guard let end else { return nil }
    partCount += 1
    guard partCount <= Self.maxParts else {
      throw ParameterError(
        message: "Too many parts in the multipart body: send at most \(Self.maxParts).", offset: place)
    }
    let head = buffer[..<(end + 2)]
    headBytes += end - buffer.startIndex
    guard headBytes <= Self.maxHeads else {
      throw ParameterError(
        message: "The heads of the parts are too long: at most \(Self.maxHeads) bytes for all parts together.",
        offset: place)
    }
    try refuseDelimiter(inHead: head)
    buffer = buffer[(end + 2)...]
    bytesToDrop = 2
    return try PartHead(head.dropFirst(2), at: place)
  }

  private func refuseDelimiter(inHead head: ArraySlice<UInt8>) throws(ParameterError) {
    guard let next = head.firstOccurrence(of: delimiter, from: head.startIndex) else { return }
    throw openHead("a part has no empty line between its fields and its data", at: offset(of: next + 2))
  }

  /// Drops an empty line before a head, as rack 1.5.2 did: without it, the head would be the data of a part without one.
  ///
  /// - Returns: false if more bytes are needed to tell.
  private mutating func skipEmptyLine() -> Bool {
    let line = buffer.dropFirst(2)
    guard line.prefix(2).elementsEqual("\r\n".utf8) else { return true }
    let name: StaticString = "content-disposition:"
    let next = line.dropFirst(2).prefix(name.utf8CodeUnitCount)
    if next.equalsIgnoringCase(name) { buffer = buffer.dropFirst(2) }
    // Shorter than the name, and its beginning so far.
    return next.count == name.utf8CodeUnitCount
      || !name.withUTF8Buffer { zip(next, $0).allSatisfy { $0.asciiLowercased == $1 } }
  }

  /// The data before the next delimiter, or the end of the part if the delimiter comes first.
  private mutating func takeData() throws(ParameterError) -> Event {
    let next = try nextDelimiter()
    let data = buffer[..<next.start].dropFirst(bytesToDrop)
    bytesToDrop -= min(bytesToDrop, next.start - buffer.startIndex)
    buffer = buffer[next.start...]
    guard data.isEmpty else { return .data(data) }
    return take(next.kind) ? .partEnd : .needsMore
  }

  /// Takes a delimiter at the beginning of the buffer; false if there is none yet.
  private mutating func take(_ delimiter: Delimiter) -> Bool {
    switch delimiter {
    case .none: return false
    case .closing: (state, buffer) = (.end, [])
    case .part(let end): (state, buffer) = (.head, buffer[end...])
    }
    return true
  }

  private enum Delimiter {
    /// There is none yet. At its start, bytes begin that may become one.
    case none
    case closing
    /// Another part follows. It ends before its line end.
    case part(end: Int)
  }

  /// - Throws: for what some of today's parsers take for a delimiter, and others for data.
  private func nextDelimiter() throws(ParameterError) -> (start: Int, kind: Delimiter) {
    var from = buffer.startIndex
    while let hit = buffer.firstOccurrence(of: delimiter, from: from) {
      let after = buffer[(hit + delimiter.count)...]
      if after.starts(with: "--".utf8) { return (hit, .closing) }
      let lineEnd = after.drop(while: \.isBlank).prefix(2)
      let padding = lineEnd.startIndex - after.startIndex
      if padding <= Self.maxPadding {
        if lineEnd.elementsEqual("\r\n".utf8) { return (hit, .part(end: lineEnd.startIndex)) }
        if lineEnd.isEmpty || after.elementsEqual("-".utf8) || lineEnd.elementsEqual("\r".utf8) { return (hit, .none) }
      }
      guard padding == 0, lineEnd.first != .carriageReturn, lineEnd.first != .lineFeed else {
        throw ParameterError(
          message:
            "bad content body: after the boundary, a line of the multipart body may have only white space and CR "
            + "LF. If the line is data, use another boundary.",
          detail: lineEnd.first == .lineFeed ? "the line of a boundary ends in LF alone; expected CR LF" : nil,
          offset: offset(of: after.startIndex + min(padding, Self.maxPadding)))
      }
      from = hit + 1
    }
    // A boundary has no carriage return, so only from the last one on can the buffer end in the beginning of one.
    let tail = buffer.suffix(delimiter.count - 1)
    let start = tail.lastIndex(of: .carriageReturn).flatMap { delimiter.starts(with: buffer[$0...]) ? $0 : nil }
    return (start ?? buffer.endIndex, .none)
  }
}
