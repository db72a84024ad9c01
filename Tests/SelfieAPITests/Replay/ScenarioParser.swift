import TestSupport

/// Reads a scenario's file, line by line.
struct ScenarioParser {
  private let lines: [Substring]
  private var next = 0

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  mutating func parse() throws(NotPossible) -> [Scenario.Step] {
    var steps: [Scenario.Step] = []
    while let line = takeLine() {
      if line.hasPrefix("### ") {
        steps.append(.exchange(try exchange(named: String(line.dropFirst(4)))))
      } else if line.hasPrefix("*** ") {
        steps.append(.later(hours: try hours(line)))
      } else if !line.isEmpty && !line.hasPrefix("#") {
        throw failure("neither a step nor a remark: \(line)")
      }
    }
    return steps
  }

  private mutating func exchange(named name: String) throws(NotPossible) -> Exchange {
    let line = next
    while peek?.hasPrefix("#") == true { next += 1 }
    let request = (takeLine() ?? "").split(separator: " ", maxSplits: 1)
    guard request.count == 2 else { throw failure("\(name) has no request line") }
    let fields = try fields()
    let body = try requestBody()
    let response = try response()
    return Exchange(
      name: name, line: line, method: String(request[0]), target: String(request[1]), fields: fields, body: body,
      response: response)
  }

  /// The lines up to the one that ends a head.
  private mutating func fields() throws(NotPossible) -> [Field] {
    var fields: [Field] = []
    while let line = peek, !line.isEmpty, !Self.beginsAnswer(line) {
      next += 1
      guard let colon = line.firstIndex(of: ":") else { throw failure("not a header field: \(line)") }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields.append(Field(name: String(line[..<colon]), value: String(value)))
    }
    return fields
  }

  /// Each line break stands for CR LF, save behind `<<lf>>`.
  private mutating func requestBody() throws(NotPossible) -> String? {
    guard peek?.isEmpty == true else { return nil }
    next += 1
    var body = ""
    var separator = ""
    while let line = peek, !Self.beginsAnswer(line) {
      next += 1
      body += separator
      let endsInLF = line.hasSuffix(Self.lineFeed)
      body += endsInLF ? line.dropLast(Self.lineFeed.count) : line
      separator = endsInLF ? "\n" : "\r\n"
    }
    return separator == "\n" ? body + separator : body
  }

  private mutating func response() throws(NotPossible) -> ExpectedResponse {
    guard let line = takeLine(), let status = Int(line.dropFirst(Self.responseMark.count)) else {
      throw failure("a response is missing")
    }
    let fields = try fields()
    var body = ""
    while let line = peek, !line.hasPrefix("### "), !line.hasPrefix("*** ") {
      next += 1
      body += line
    }
    return ExpectedResponse(status: status, fields: fields, body: body)
  }

  private func hours(_ line: Substring) throws(NotPossible) -> Int64 {
    let words = line.split(separator: " ")
    guard words.count == 4, let hours = Int64(words[1]), words[2...] == ["hours", "later"] else {
      throw failure("not a step of the clock: \(line)")
    }
    return hours
  }

  private static let responseMark = "--- "
  private static let lineFeed = "<<lf>>"

  private static func beginsAnswer(_ line: Substring) -> Bool {
    line.hasPrefix(responseMark) && line.dropFirst(responseMark.count).allSatisfy(\.isNumber)
  }

  private var peek: Substring? { next < lines.count ? lines[next] : nil }

  private mutating func takeLine() -> Substring? {
    guard let line = peek else { return nil }
    next += 1
    return line
  }

  private func failure(_ message: String) -> NotPossible { NotPossible("line \(next): \(message)") }
}
