import HTTPMessages
import Platform

// Interprets the responses of an object store. `HTTPClient` receives them.
extension ClientResponse {
  /// The error that the response is; nil if it is none.
  ///
  /// - Parameters:
  ///   - method: of the request.
  ///   - now: Unix seconds.
  func error(to method: Method, now: Int64) -> ObjectStoreError? {
    let code = errorCode
    if isSuccessful {
      // The sign-in page of a network takes everything.
      let isPage = self["content-type"]?.hasPrefix("text/html") == true && (method == .head || !body.isEmpty)
      guard isPage || method == .put && self["etag"] == nil else { return nil }
      return .away("something before it responded \(status) with what is not S3's")
    }
    // A response to HEAD has no code, so the caller asks again. Otherwise only the store itself can say that an object is
    // missing: to a proxy, the store is.
    if status == 404, method == .head || method != .put && code == "NoSuchKey" { return .missing }
    if Self.isTransient(status, code) {
      return .unavailable(
        reason: "it responded \(status)\(code.map { " \($0)" } ?? "")", retryAfterSeconds: retryAfter(now: now))
    }
    guard code == nil, status < 500, method != .head else { return .refused(status: status, code: code) }
    return .away("something before it responded \(status) without an error code of S3")
  }

  /// The bytes of the range that was asked for.
  ///
  /// - Throws: `ObjectStoreError.malformedResponse` for anything but exactly the range.
  func bytes(of range: Range<Int64>) throws(ObjectStoreError) -> [UInt8] {
    if let encoding = self["content-encoding"], encoding.lowercased() != "identity" {
      throw .malformedResponse("its Content-Encoding is \(encoding)")
    }
    let isRange =
      switch status {
      case 206: self["content-range"]?.hasPrefix("bytes \(range.lowerBound)-\(range.upperBound - 1)/") == true
      // Without a range it is the whole object, which is as good if it begins and ends where the range does.
      case 200: range.lowerBound == 0
      default: false
      }
    guard isRange, body.count == range.count else {
      throw .malformedResponse("status \(status) with \(body.count) of \(range.count) bytes")
    }
    return body
  }

  /// The code of an error that S3 describes, as in `<Error><Code>NoSuchKey</Code>…`; nil if there is none, such as in a
  /// response to HEAD or in one of a proxy. A code is a word, so nothing else of XML needs to be understood.
  var errorCode: String? {
    String(decoding: body, as: UTF8.self).firstMatch(of: /<Code>([A-Za-z0-9.]{1,64})<\/Code>/).map { String($0.1) }
  }

  private static func isTransient(_ status: Int, _ code: String?) -> Bool {
    switch status {
    case 408, 429: true
    // Not implemented, not in this version of HTTP, and no room.
    case 501, 505, 507: false
    case 500...599: true
    // Amazon's answers to a client whose bytes come slowly, and to a change that conflicts with another one.
    case 400: code == "RequestTimeout"
    case 409: code == "OperationAborted" || code == "ConditionalRequestConflict"
    default: false
    }
  }

  /// Retry-After in seconds (RFC 9110 §10.2.3); nil without one that can be read.
  private func retryAfter(now: Int64) -> Int64? {
    guard let text = self["retry-after"] else { return nil }
    if text.utf8.allSatisfy(\.isASCIIDigit) { return Int64(text) }
    return HTTPDate(Array(text.utf8)[...], now: now).map { max(0, $0.unixSeconds - now) }
  }
}
