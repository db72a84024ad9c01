import Platform

/// What a resource has to show, for requests that are conditional or want a part of it (RFC 9110 §13, §14).
public struct Representation: Sendable {
  /// What a GET should be answered with.
  public enum Selection: Sendable, Equatable {
    case whole
    /// From the first to behind the last byte.
    case part(Range<Int64>)
    case notModified
    case preconditionFailed
    case unsatisfiable
  }

  public let tag: ETag
  public let lastModified: HTTPDate
  public let byteCount: Int64

  public init(tag: ETag, lastModified: HTTPDate, byteCount: Int64) {
    self.tag = tag
    self.lastModified = lastModified
    self.byteCount = byteCount
  }

  /// Evaluates the preconditions in the order of RFC 9110 §13.2.2, then the range.
  public func evaluate(_ request: Request) -> Selection {
    let fields = request.head.fields
    if let tags = fields[.ifMatch] {
      guard matches(tags, weakly: false) else { return .preconditionFailed }
    } else if let date = fields.text(.ifUnmodifiedSince).flatMap(HTTPDate.init) {
      guard lastModified.unixSeconds <= date.unixSeconds else { return .preconditionFailed }
    }
    if let tags = fields[.ifNoneMatch] {
      if matches(tags, weakly: true) { return .notModified }
    } else if let date = fields.text(.ifModifiedSince).flatMap(HTTPDate.init) {
      if lastModified.unixSeconds <= date.unixSeconds { return .notModified }
    }
    guard request.head.method == .get, let range = fields.text(.range), isCurrent(fields[.ifRange]) else {
      return .whole
    }
    return select(range)
  }

  /// Whether the list of tags, or `*`, names this representation (RFC 9110 §8.8.3).
  private func matches(_ list: ArraySlice<UInt8>, weakly: Bool) -> Bool {
    list.split(separator: UInt8(ascii: ",")).contains { item in
      var item = item
      while let first = item.first, first == 0x20 || first == 0x09 { item.removeFirst() }
      while let last = item.last, last == 0x20 || last == 0x09 { item.removeLast() }
      if item.elementsEqual("*".utf8) { return true }
      if weakly && item.starts(with: "W/".utf8) { item = item.dropFirst(2) }
      return item.elementsEqual(tag.bytes)
    }
  }

  /// If-Range holds a strong tag or a date (RFC 9110 §13.1.5).
  private func isCurrent(_ validator: ArraySlice<UInt8>?) -> Bool {
    guard let validator else { return true }
    if validator.elementsEqual(tag.bytes) { return true }
    return HTTPDate(String(decoding: validator, as: UTF8.self)) == lastModified
  }

  /// One range of bytes (RFC 9110 §14.1.2). Several at once, and what cannot be read, are answered
  /// with the whole, as a server may (§14.2).
  private func select(_ range: String) -> Selection {
    guard range.lowercased().hasPrefix("bytes=") else { return .whole }
    let spec = range.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard spec.count == 2, spec.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }) else { return .whole }
    if spec[0].isEmpty {
      guard let suffix = Self.number(spec[1]) else { return .whole }
      guard suffix > 0, byteCount > 0 else { return .unsatisfiable }
      return .part(max(0, byteCount - suffix)..<byteCount)
    }
    guard let first = Self.number(spec[0]) else { return .whole }
    let last = spec[1].isEmpty ? Int64.max : Self.number(spec[1])
    guard let last, last >= first else { return .whole }
    guard first < byteCount else { return .unsatisfiable }
    return .part(first..<(min(last, byteCount - 1) + 1))
  }

  /// A number too large to write down is as good as the largest.
  private static func number(_ digits: Substring) -> Int64? {
    digits.isEmpty ? nil : Int64(digits) ?? .max
  }
}
