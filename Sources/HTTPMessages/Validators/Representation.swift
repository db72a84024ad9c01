import Platform

/// A resource's validators and length, for conditional requests and requests for a part (RFC 9110 §13, §14). A response
/// that is made as a whole needs only an `ETag`.
package struct Representation: Sendable {
  /// The response that a GET should get.
  package enum Selection: Sendable, Equatable {
    case whole
    /// From the first byte to the one after the last.
    case part(Range<Int64>)
    case notModified
    case preconditionFailed
    case unsatisfiable
  }

  package let tag: ETag
  package let lastModified: HTTPDate
  package let byteCount: Int64

  package init(tag: ETag, lastModified: HTTPDate, byteCount: Int64) {
    self.tag = tag
    self.lastModified = lastModified
    self.byteCount = byteCount
  }

  /// Evaluates the preconditions in the order of RFC 9110 §13.2.2, then the range.
  ///
  /// - Parameter now: Unix seconds.
  package func evaluate(_ request: Request, now: Int64) -> Selection {
    let fields = request.head.fields
    func date(_ name: FieldName) -> HTTPDate? { fields[name].flatMap { HTTPDate($0, now: now) } }
    if fields[.ifMatch] != nil {
      guard tag.isElement(of: .ifMatch, in: fields, weakly: false) else { return .preconditionFailed }
    } else if let date = date(.ifUnmodifiedSince) {
      guard lastModified.unixSeconds <= date.unixSeconds else { return .preconditionFailed }
    }
    if fields[.ifNoneMatch] != nil {
      if tag.isElement(of: .ifNoneMatch, in: fields, weakly: true) { return .notModified }
    } else if let date = date(.ifModifiedSince) {
      if lastModified.unixSeconds <= date.unixSeconds { return .notModified }
    }
    guard request.head.method == .get, let range = fields[.range] else { return .whole }
    // If-Range holds a strong tag or a date (RFC 9110 §13.1.5).
    let isCurrent =
      fields[.ifRange].map { $0.elementsEqual(tag.bytes) || HTTPDate($0, now: now) == lastModified } ?? true
    return isCurrent ? select(range) : .whole
  }

  /// One range of bytes (RFC 9110 §14.1.2). Several at once, what cannot be read, and any range of nothing are answered
  /// with the whole, as a server may (§14.2).
  private func select(_ range: ArraySlice<UInt8>) -> Selection {
    guard byteCount > 0 else { return .whole }
    let unit = range.prefix("bytes=".utf8.count)
    let spec = range[unit.endIndex...]
    guard unit.equalsIgnoringCase("bytes="), let hyphen = spec.firstIndex(of: UInt8(ascii: "-")) else { return .whole }
    let (start, end) = (spec[..<hyphen], spec[(hyphen + 1)...])
    guard start.allSatisfy(\.isASCIIDigit), end.allSatisfy(\.isASCIIDigit) else { return .whole }
    if start.isEmpty {
      guard let suffix = Self.number(end) else { return .whole }
      guard suffix > 0 else { return .unsatisfiable }
      return .part(max(0, byteCount - suffix)..<byteCount)
    }
    guard let first = Self.number(start) else { return .whole }
    let last = end.isEmpty ? Int64.max : Self.number(end)
    guard let last, last >= first else { return .whole }
    guard first < byteCount else { return .unsatisfiable }
    return .part(first..<(min(last, byteCount - 1) + 1))
  }

  /// A number too large to write down is as good as the largest.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
    digits.isEmpty ? nil : Int64(String(decoding: digits, as: UTF8.self)) ?? .max
  }
}
