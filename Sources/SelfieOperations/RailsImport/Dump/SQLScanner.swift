import Platform

/// Splits the SQL of a dump into tokens (PostgreSQL's documentation, "Lexical Structure").
struct SQLScanner {
  enum Token: Equatable {
    /// A key word, or a name without quotes, in lower case as PostgreSQL reads it.
    case word(String)
    /// A name in double quotes.
    case name(String)
    /// The value of a string constant; empty if texts are not kept.
    case string([UInt8])
    /// A number without a sign, as it is written.
    case number([UInt8])
    /// A dollar-quoted string constant. Its text is never kept.
    case dollarQuoted
    case symbol(UInt8)

    static let semicolon = Token.symbol(UInt8(ascii: ";"))
    static let comma = Token.symbol(UInt8(ascii: ","))
    static let dot = Token.symbol(UInt8(ascii: "."))
    static let open = Token.symbol(UInt8(ascii: "("))
    static let close = Token.symbol(UInt8(ascii: ")"))
  }

  /// The limit of a name or string constant, which may have several lines.
  static let maxTokenBytes = DumpLines.maxBytes

  /// Whether a backslash in '…' stands for itself (the setting `standard_conforming_strings`).
  var hasStandardStrings = true
  /// The line on which the last token begins.
  private(set) var tokenLine = 0
  private(set) var lastToken: Token?
  /// How many of pg_dump's first and last comments were read. A dump that was cut off has no last one.
  private(set) var begunDumps = 0
  private(set) var completedDumps = 0

  private var lines: DumpLines
  private var returned: Token?
  /// The current line, and the position of the next byte in it.
  var line: [UInt8] = []
  var index = 0

  init(_ lines: DumpLines) {
    self.lines = lines
  }

  /// The number of the current line.
  var lineNumber: Int { lines.number }

  /// The next token; nil at the end of the dump.
  ///
  /// - Parameter keepsText: whether to keep the texts of string constants.
  mutating func next(keepingText keepsText: Bool = true) throws -> Token? {
    if let token = returned.take() {
      lastToken = token
    } else {
      lastToken = try skipBlanks() ? token(keepsText) : nil
    }
    return lastToken
  }

  /// Makes `next` return its last token once more.
  mutating func goBack() {
    returned = lastToken
  }

  /// Returns false at the end of the dump. Skips commands of psql, such as `\connect`.
  mutating func findStatement() throws -> Bool {
    while try skipBlanks() {
      guard line[index] == UInt8(ascii: "\\") else { return true }
      skipLine()
    }
    return false
  }

  /// Skips the rest of the line.
  mutating func skipLine() {
    index = line.count
  }

  /// The next line as it is, cut off if it is too long; nil at the end of the dump.
  mutating func nextLine() throws -> DumpLines.Line? {
    skipLine()
    return try lines.next()
  }

  // MARK: - Bytes

  /// The byte at an offset from the next one; nil beyond the end of the line.
  func byte(_ offset: Int) -> UInt8? {
    index + offset < line.count ? line[index + offset] : nil
  }

  /// Moves to the next line. Returns false at the end of the dump.
  mutating func advanceLine() throws -> Bool {
    guard let next = try lines.next() else { return false }
    guard !next.isCut else {
      throw DumpProblem(
        line: lines.number, "This line has more than \(DumpLines.maxBytes) bytes.", endsReading: true)
    }
    line = next.bytes
    index = 0
    if lines.number == 1 { try checkBeginning() }
    return true
  }

  private mutating func checkBeginning() throws {
    let foreign: [(signature: [UInt8], message: String)] = [
      (Array("PGDMP".utf8), "This is pg_dump's custom format. Make a plain dump of it: pg_restore -f plain.sql DUMP"),
      ([0x1f, 0x8b], "This is compressed. Unpack it first: gunzip DUMP"),
    ]
    for (signature, message) in foreign where line.starts(with: signature) {
      throw DumpProblem(line: 1, message, endsReading: true)
    }
    if line.starts(with: [0xef, 0xbb, 0xbf]) { index = 3 }
  }

  /// Skips white space and comments. Returns false at the end of the dump.
  private mutating func skipBlanks() throws -> Bool {
    while true {
      guard let byte = byte(0) else {
        guard try advanceLine() else { return false }
        continue
      }
      if byte == UInt8(ascii: " ") || (0x09...0x0d).contains(byte) {
        index += 1
      } else if byte == UInt8(ascii: "-") && self.byte(1) == UInt8(ascii: "-") {
        noteComment()
        skipLine()
      } else if byte == UInt8(ascii: "/") && self.byte(1) == UInt8(ascii: "*") {
        try skipBlockComment()
      } else {
        return true
      }
    }
  }

  private mutating func noteComment() {
    let marker = Array("-- PostgreSQL database dump".utf8)
    guard index == 0, line.starts(with: marker) else { return }
    let rest = line.dropFirst(marker.count).filter { $0 > UInt8(ascii: " ") }
    if rest.isEmpty { begunDumps += 1 }
    if rest.elementsEqual("complete".utf8) { completedDumps += 1 }
  }

  /// Block comments nest.
  private mutating func skipBlockComment() throws {
    let start = lines.number
    var depth = 0
    repeat {
      guard let byte = byte(0) else {
        guard try advanceLine() else { throw Self.unended("comment", line: start) }
        continue
      }
      let pair = (byte, self.byte(1))
      index += 1
      if pair == (UInt8(ascii: "/"), UInt8(ascii: "*")) {
        depth += 1
        index += 1
      } else if pair == (UInt8(ascii: "*"), UInt8(ascii: "/")) {
        depth -= 1
        index += 1
      }
    } while depth > 0
  }

  // MARK: - Tokens

  private mutating func token(_ keepsText: Bool) throws -> Token {
    tokenLine = lines.number
    let first = line[index]
    switch first {
    case UInt8(ascii: "'"):
      index += 1
      return .string(try string(hasEscapes: !hasStandardStrings, keepsText))
    case UInt8(ascii: "\""):
      index += 1
      return .name(String(decoding: try quoted(by: first, "name"), as: UTF8.self))
    case UInt8(ascii: "$"):
      if let tag = dollarTag() {
        try skipDollarQuoted(tag)
        return .dollarQuoted
      }
    case _ where Self.isLetter(first):
      return try word(keepsText)
    case _ where first.isASCIIDigit || (first == UInt8(ascii: ".") && byte(1)?.isASCIIDigit == true):
      return .number(number())
    default: break
    }
    index += 1
    return .symbol(first)
  }

  private mutating func word(_ keepsText: Bool) throws -> Token {
    let start = index
    while let byte = byte(0), Self.isLetter(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "$") { index += 1 }
    let word = line[start..<index].map(\.asciiLowercased)
    guard byte(0) == UInt8(ascii: "'"), let prefix = word.first, word.count == 1 else {
      if word == [UInt8(ascii: "u")], byte(0) == UInt8(ascii: "&"), byte(1) == UInt8(ascii: "'"), keepsText {
        throw DumpProblem(line: tokenLine, "String constants of the form U&'…' are not understood.")
      }
      return .word(String(decoding: word, as: UTF8.self))
    }
    switch prefix {
    case UInt8(ascii: "e"):
      index += 1
      return .string(try string(hasEscapes: true, keepsText))
    case UInt8(ascii: "b"), UInt8(ascii: "x"), UInt8(ascii: "n"):
      index += 1
      return .string(try string(hasEscapes: false, keepsText))
    default: return .word(String(decoding: word, as: UTF8.self))
    }
  }

  private mutating func number() -> [UInt8] {
    let start = index
    while let byte = byte(0) {
      let isSign = byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      let isExponent = index > start && line[index - 1] | 0x20 == UInt8(ascii: "e")
      guard byte.isASCIIDigit || Self.isLetter(byte) || byte == UInt8(ascii: ".") || (isSign && isExponent) else {
        break
      }
      index += 1
    }
    return Array(line[start..<index])
  }

  static func unended(_ what: String, line: Int) -> DumpProblem {
    DumpProblem(line: line, "The \(what) that begins here does not end.", endsReading: true)
  }

  /// Whether a name may contain the byte. That includes every byte of a character beyond ASCII.
  static func isLetter(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}
