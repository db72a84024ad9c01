import Platform

/// The status and the fields of a response, line by line.
struct ResponseHead {
  private(set) var status = 0
  /// With names in lower case.
  private(set) var fields: [(name: String, value: String)] = []
  /// Whether the empty line after the fields of a final response has come.
  private(set) var isComplete = false
  private var byteCount = 0

  private static let maxBytes = 32 * 1024

  /// False if there is too much of it.
  mutating func append(_ line: some Collection<UInt8>) -> Bool {
    byteCount += line.count
    guard byteCount <= Self.maxBytes else { return false }
    if line.starts(with: "HTTP/".utf8) {
      // A response such as 100 may come before the one that counts.
      status = Self.status(of: line)
      fields = []
      isComplete = false
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let name = String(decoding: line[..<colon].map(\.asciiLowercased), as: UTF8.self)
      fields.append((name, Self.trimmed(line[colon...].dropFirst())))
    } else if line.allSatisfy(\.isASCIISpace) {
      isComplete = status >= 200
    }
    return true
  }

  private static func status(of line: some Collection<UInt8>) -> Int {
    let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
    return Int(String(decoding: digits, as: UTF8.self)) ?? 0
  }

  private static func trimmed(_ value: some Collection<UInt8>) -> String {
    var rest = Array(value.drop(while: \.isASCIISpace))
    while let last = rest.last, last.isASCIISpace { rest.removeLast() }
    return String(decoding: rest, as: UTF8.self)
  }
}
