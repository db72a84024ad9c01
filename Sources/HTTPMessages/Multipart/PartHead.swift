import Platform

/// The head of a multipart part: the parameter it is for, and whether it is a file.
public struct PartHead: Sendable, Equatable {
  public enum Kind: Sendable, Equatable {
    case field
    /// A file with its base name, which is nil if the client sent only path separators.
    case file(filename: String?)
    /// A file field without a chosen file (`filename=""`), which counts as absent.
    case dropped
  }

  /// The parameter's name as in the form (`a[b]` stays whole); nil if the part has none, and is ignored. Bytes that are
  /// not UTF-8 are replaced, so no endpoint knows such a name.
  public let name: String?
  public let kind: Kind
}

extension PartHead {
  /// Parses the lines of a head, each with its CRLF. Throws if the file name is not UTF-8.
  public init(_ head: [UInt8]) throws(ParameterError) {
    let name = dispositionName(head) ?? contentID(head)
    self.name = name.map { String(decoding: $0, as: UTF8.self) }
    guard let raw = quotedFilename(head) ?? unquotedFilename(head) else {
      kind = .field
      return
    }
    kind = raw.isEmpty ? .dropped : .file(filename: try baseName(raw))
  }
}

// The functions below match rack 1.5.2's patterns by hand. Each takes time linear in the head, which any client may send.

/// /Content-Disposition:.*\s+name="?([^\";]*)"?/ni - not anchored to a line; `.` stops at a line's end, where `\s+`
/// and the value may run over it.
private func dispositionName(_ head: [UInt8]) -> ArraySlice<UInt8>? {
  let nameEquals = Array("name=".utf8)
  var from = 0
  while let afterColon = head.end(of: contentDisposition, from: from) {
    let lineEnd = head.lineEnd(from: afterColon)
    for index in (afterColon..<min(lineEnd + 1, head.count)).reversed() where head[index].isSpace {
      // Only the last space of a run can have `name=` after the run.
      guard index == lineEnd || !head.isSpace(at: index + 1) else { continue }
      let name = head.skippingSpaces(from: index)
      guard head.matches(nameEquals, at: name) else { continue }
      var value = head[(name + nameEquals.count)...]
      if value.first == .quote { value = value.dropFirst() }
      return value.prefix { $0 != .quote && $0 != UInt8(ascii: ";") }
    }
    // What failed here fails at every later place in the line.
    from = lineEnd
  }
  return nil
}

/// /Content-ID:\s*([^\r\n]*)/ni
private func contentID(_ head: [UInt8]) -> ArraySlice<UInt8>? {
  guard let afterColon = head.end(of: Array("content-id:".utf8), from: 0) else { return nil }
  return head[head.skippingSpaces(from: afterColon)...].prefix { $0 != .carriageReturn && $0 != .lineFeed }
}

/// BROKEN_QUOTED = /^Content-Disposition:\s*TOKEN\s*.*;\sfilename="(.*?)"(?:\s*$|\s*;\s*TOKEN=)/i
private func quotedFilename(_ head: [UInt8]) -> ArraySlice<UInt8>? {
  let parameter = Array("filename=\"".utf8)
  for parameters in dispositionParameters(head) {
    // A later `filename="` that finds no closing quote leaves only the quotes before it to an earlier one.
    var unseen = parameters.upperBound
    for semicolon in parameters.reversed() where head[semicolon] == UInt8(ascii: ";") {
      guard head.isSpace(at: semicolon + 1), head.matches(parameter, at: semicolon + 2) else { continue }
      let start = semicolon + 2 + parameter.count
      // After `;\n` the value is on a line of its own.
      let end = start > parameters.upperBound ? head.lineEnd(from: start) : max(unseen, start)
      if let quote = (start..<end).first(where: { head[$0] == .quote && endsQuotedFilename(head, from: $0 + 1) }) {
        return head[start..<quote]
      }
      unseen = min(unseen, start)
    }
  }
  return nil
}

/// (?:\s*$|\s*;\s*TOKEN=)
private func endsQuotedFilename(_ head: [UInt8], from start: Int) -> Bool {
  let afterSpaces = head.skippingSpaces(from: start)
  if afterSpaces == head.count || head[start..<afterSpaces].contains(.lineFeed) { return true }
  guard head[afterSpaces] == UInt8(ascii: ";") else { return false }
  let token = head[head.skippingSpaces(from: afterSpaces + 1)...].prefix(while: isTokenByte)
  return !token.isEmpty && token.endIndex < head.count && head[token.endIndex] == UInt8(ascii: "=")
}

/// BROKEN_UNQUOTED = /^Content-Disposition:\s*TOKEN\s*.*;\sfilename=(TOKEN)/i
private func unquotedFilename(_ head: [UInt8]) -> ArraySlice<UInt8>? {
  let parameter = Array("filename=".utf8)
  for parameters in dispositionParameters(head) {
    for semicolon in parameters.reversed() where head[semicolon] == UInt8(ascii: ";") {
      guard head.isSpace(at: semicolon + 1), head.matches(parameter, at: semicolon + 2) else { continue }
      let value = head[(semicolon + 2 + parameter.count)...].prefix(while: isTokenByte)
      if !value.isEmpty { return value }
    }
  }
  return nil
}

/// The range that `.*` may run over, for each match of ^Content-Disposition:\s*TOKEN\s* in turn: the rest of the line
/// where it ends. Shorter matches add nothing, since neither a token nor white space holds a semicolon.
private func dispositionParameters(_ head: [UInt8]) -> [Range<Int>] {
  var ranges: [Range<Int>] = []
  var lineStart = 0
  while lineStart < head.count {
    if head.matches(contentDisposition, at: lineStart) {
      let token = head[head.skippingSpaces(from: lineStart + contentDisposition.count)...].prefix(while: isTokenByte)
      if !token.isEmpty {
        let start = head.skippingSpaces(from: token.endIndex)
        ranges.append(start..<head.lineEnd(from: start))
      }
    }
    lineStart = head.lineEnd(from: lineStart) + 1
  }
  return ranges
}

/// The file name as rack decodes it, then without its folders: filename.split(/[\/\\]/).last
private func baseName(_ raw: ArraySlice<UInt8>) throws(ParameterError) -> String? {
  var bytes = PercentEncoding.isWellFormed(raw) ? try PercentEncoding.decode(raw) : Array(raw)
  bytes = unescapedBackslashes(bytes)
  func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == .backslash }
  guard let last = bytes.split(whereSeparator: isSeparator).last else { return nil }
  guard String(utf8: bytes) != nil, let name = String(utf8: last) else {
    throw ParameterError(message: "The name of an uploaded file is not valid UTF-8: send it as UTF-8.")
  }
  return name
}

/// filename.gsub(/\\(.)/, '\1') unless filename =~ /\\[^\\"]/
private func unescapedBackslashes(_ bytes: [UInt8]) -> [UInt8] {
  let hasOtherEscape = zip(bytes, bytes.dropFirst()).contains { $0 == .backslash && $1 != .backslash && $1 != .quote }
  guard !hasOtherEscape else { return bytes }
  var result: [UInt8] = []
  var index = 0
  while index < bytes.count {
    if bytes[index] == .backslash && index + 1 < bytes.count { index += 1 }
    result.append(bytes[index])
    index += 1
  }
  return result
}

private let contentDisposition = Array("content-disposition:".utf8)

/// TOKEN = /[^\s()<>,;:\\"\/\[\]?=]+/
private func isTokenByte(_ byte: UInt8) -> Bool {
  !byte.isSpace && !#"()<>,;:\"/[]?="#.utf8.contains(byte)
}

extension [UInt8] {
  /// Whether the bytes at `index` are `lowercased` but for the case of letters.
  fileprivate func matches(_ lowercased: [UInt8], at index: Int) -> Bool {
    count - index >= lowercased.count && zip(self[index...], lowercased).allSatisfy { $0.asciiLowercased == $1 }
  }

  /// The end of the first match of `lowercased` at or after `start`.
  fileprivate func end(of lowercased: [UInt8], from start: Int) -> Int? {
    (start..<Swift.max(start, count)).first { matches(lowercased, at: $0) }.map { $0 + lowercased.count }
  }

  /// Where the line feed is that ends the line of `start`, or the end of the head.
  fileprivate func lineEnd(from start: Int) -> Int {
    self[start...].firstIndex(of: .lineFeed) ?? count
  }

  fileprivate func isSpace(at index: Int) -> Bool {
    index < count && self[index].isSpace
  }

  fileprivate func skippingSpaces(from start: Int) -> Int {
    self[start...].firstIndex { !$0.isSpace } ?? count
  }
}
