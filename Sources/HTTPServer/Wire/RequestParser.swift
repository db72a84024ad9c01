import HTTPMessages
import Platform

// Parses a request head by the grammar of RFC 9112, without the leniency that it permits. `HeadScanner` has found its end.
extension RequestHead {
  /// - Parameter head: a whole head, from the request line to the empty line. Every line ends with CR LF.
  static func parse(_ head: [UInt8]) throws(RequestError) -> RequestHead {
    var position = 0
    let method = try readMethod(head, &position)
    let target = try readTarget(head, &position)
    let version = try readVersion(head, &position)
    var entries: [Fields.Entry] = []
    entries.reserveCapacity(16)
    while head[position] != carriageReturn {
      entries.append(try readField(head, &position))
    }
    // A bare CR at the beginning of a line would hide the fields after it.
    try endLine(head, &position)
    let parsed = RequestHead(
      bytes: head, method: method, target: target, version: version, entries: entries)
    try checkFields(parsed)
    try checkTarget(parsed)
    return parsed
  }

  /// The longest registered method, UPDATEREDIRECTREF, has 17 letters.
  static let maxMethod = 20

  private static let httpName = Array("HTTP/".utf8)
  private static let carriageReturn: UInt8 = 0x0d
  private static let space: UInt8 = 0x20
  private static let tab: UInt8 = 0x09

  /// `method SP` (RFC 9112 §3.1).
  private static func readMethod(_ head: [UInt8], _ position: inout Int) throws(RequestError)
    -> Method
  {
    let start = position
    while head[position].isToken { position += 1 }
    guard position > start, head[position] == space else { throw .notHTTP }
    position += 1
    return Method(String(decoding: head[start..<(position - 1)], as: UTF8.self))
  }

  /// `request-target SP` (RFC 9112 §3.2). What browsers leave unescaped is accepted, since it delimits nothing.
  private static func readTarget(
    _ head: [UInt8], _ position: inout Int
  ) throws(RequestError) -> Range<Int> {
    let start = position
    while head[position].isTarget { position += 1 }
    // Looked for last, since few targets have more characters.
    if head[position] != space, head[start..<position].contains(UInt8(ascii: "?")) {
      while head[position].isQuery { position += 1 }
    }
    guard position > start, head[position] == space else { throw .impossibleInTarget(head[position]) }
    position += 1
    return start..<(position - 1)
  }

  /// `HTTP-version CRLF` (RFC 9112 §2.3). A later minor version is answered as 1.1 (RFC 9110 §2.5).
  private static func readVersion(
    _ head: [UInt8], _ position: inout Int
  ) throws(RequestError) -> RequestHead.Version {
    let start = position
    while head[position] != carriageReturn { position += 1 }
    let text = head[start..<position]
    try endLine(head, &position)
    let isVersion =
      text.count == 8 && text.prefix(5).equals(Self.httpName) && text[start + 5].isASCIIDigit
      && text[start + 6] == UInt8(ascii: ".") && text[start + 7].isASCIIDigit
    guard isVersion else { throw .notHTTP }
    if text[start + 5] == UInt8(ascii: "1") { return text[start + 7] == UInt8(ascii: "0") ? .http10 : .http11 }
    throw RequestError(status: .versionNotSupported, message: "This server speaks HTTP/1.1 and HTTP/1.0.")
  }

  /// `field-name ":" OWS field-value OWS CRLF` (RFC 9112 §5): no white space before the colon (§5.1),
  /// no folded lines (§5.2), no control characters in the value (RFC 9110 §5.5).
  @inline(__always)
  private static func readField(
    _ head: [UInt8], _ position: inout Int
  ) throws(RequestError) -> Fields.Entry {
    let nameStart = position
    while head[position].isToken { position += 1 }
    let nameEnd = position
    guard nameEnd > nameStart, head[position] == UInt8(ascii: ":") else { throw .noField(head[nameStart...]) }
    position += 1
    while head[position] == space || head[position] == tab { position += 1 }
    let valueStart = position
    while head[position].isFieldValue { position += 1 }
    var valueEnd = position
    try endLine(head, &position)
    while valueEnd > valueStart, head[valueEnd - 1] == space || head[valueEnd - 1] == tab { valueEnd -= 1 }
    return (name: Int32(nameStart)..<Int32(nameEnd), value: Int32(valueStart)..<Int32(valueEnd))
  }

  /// The scanner has seen that every line ends with CR LF, so a byte always follows a CR.
  @inline(__always)
  private static func endLine(_ head: [UInt8], _ position: inout Int) throws(RequestError) {
    guard head[position] == carriageReturn, head[position + 1] == 0x0a else {
      throw .malformed("A line of the request head holds a control character, or a CR without LF.")
    }
    position += 2
  }

  /// HTTP/1.1 requires exactly one Host field, HTTP/1.0 allows one. It must be valid even if the target replaces it (RFC
  /// 9112 §3.2).
  private static func checkFields(_ head: RequestHead) throws(RequestError) {
    let count = head.fields.count(of: .host)
    guard count == 1 || (count == 0 && head.version == .http10) else {
      throw .malformed(
        count == 0
          ? "The request has no Host field. HTTP/1.1 asks for one." : "The request has more than one Host field.")
    }
    if let host = head.fields[.host], !host.isAuthority {
      throw .malformed("The Host field is not a host name or address, perhaps followed by a port.")
    }
    // Another HTTP parser may read the body by the other one. wget2 sends its own beside the user's, equal or not.
    if head.fields.count(of: .contentType) > 1, Set(head.fields.all(.contentType)).count > 1 {
      throw .malformed("The request has more than one Content-Type field.")
    }
  }

  /// Origin-form, absolute-form, or the asterisk of OPTIONS (RFC 9112 §3.2). One HTTP parser would take anything else
  /// for a path, and another for something different.
  private static func checkTarget(_ head: RequestHead) throws(RequestError) {
    switch head.method {
    // Bytes after a CONNECT may be meant for the far end of the tunnel, so the connection must not be kept (RFC 9110
    // §9.3.6).
    case .connect:
      throw RequestError(status: .notImplemented, message: "This server is not a proxy: CONNECT is not supported.")
    case .other where head.methodName.count > maxMethod: throw .methodTooLong
    // Others that the server does not know are for the application to refuse.
    default: break
    }
    if head.target.first == UInt8(ascii: "/") { return }
    if let authority = head.authority, authority.isAuthority { return }
    if head.method == .options && head.target.elementsEqual("*".utf8) { return }
    throw .malformed("The request target is neither a path that begins with '/' nor an http URL with a valid host.")
  }
}

extension RequestError {
  /// A line of a head in the place of a field.
  ///
  /// - Parameter rest: begins with the line, whose end is in it. The line may have a secret, which is not repeated.
  fileprivate static func noField(_ rest: ArraySlice<UInt8>) -> RequestError {
    let line = rest.prefix { $0 != 0x0d }
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    if line.first == 0x20 || line.first == 0x09 {
      return .malformed("A header field is folded over two lines: one begins with white space. Send it in one line.")
    }
    if name.count == line.count { return .malformed("A header field has no colon after its name.") }
    if name.hasCurlyQuote { return .malformed("The name of a header field has a curly quotation mark. Remove it.") }
    if name.last == 0x20 || name.last == 0x09 {
      return .malformed("White space stands between the name of a header field and its colon.")
    }
    return .malformed("The name of a header field is empty, or has a character that names never have.")
  }
}
