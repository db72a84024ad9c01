/// A strong entity tag (RFC 9110 §8.8.3).
public struct ETag: Sendable, Equatable {
  /// The value of the field, its quotes included.
  public let bytes: [UInt8]

  /// - Parameter opaque: what stands between the quotes.
  public init(_ opaque: some Collection<UInt8>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(opaque.count + 2)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: opaque)
    bytes.append(UInt8(ascii: "\""))
    self.bytes = bytes
  }

  /// The tag of a body: 32 hexadecimal digits of its hash, so that equal bodies have equal tags.
  public init(of body: [UInt8]) {
    self.init(MurmurHash3(of: body).hexDigits)
  }

  /// What stands between the quotes of an If-None-Match; nil if its value does not consist of one strong tag.
  public static func opaque(of field: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let quote = UInt8(ascii: "\"")
    guard field.count >= 2, field.first == quote, field.last == quote else { return nil }
    return field.dropFirst().dropLast()
  }

  /// Whether the client's If-None-Match is exactly this tag.
  ///
  /// As Rails' middleware did: lists, `*` and weak tags match nothing, and a request that has If-Modified-Since too
  /// never matches, because there is no Last-Modified to compare it with.
  public func matches(_ request: Request) -> Bool {
    guard request.head.method == .get || request.head.method == .head, let known = Self.known(request) else {
      return false
    }
    return known.elementsEqual(bytes)
  }

  /// The If-None-Match of a request without If-Modified-Since.
  public static func known(_ request: Request) -> ArraySlice<UInt8>? {
    request.head.fields[.ifModifiedSince] == nil ? request.head.fields[.ifNoneMatch] : nil
  }
}
