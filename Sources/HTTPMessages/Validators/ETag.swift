/// An entity tag (RFC 9110 §8.8.3). MurmurHash3.swift has the digest, and `Representation` evaluates dates and ranges.
package struct ETag: Sendable, Equatable {
  /// The value of the field, its quotes included.
  package let bytes: [UInt8]

  /// A strong tag.
  ///
  /// - Parameter opaque: the text between the quotes.
  package init(_ opaque: some Collection<UInt8>) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(opaque.count + 2)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: opaque)
    bytes.append(UInt8(ascii: "\""))
    self.bytes = bytes
  }

  /// The weak tag of a body that shows `state`: its bytes may differ where the state changes while it is sent.
  package init(weaklyOf state: [UInt8]) {
    bytes = Array("W/".utf8) + ETag(of: state).bytes
  }

  /// The tag of a body: 32 hexadecimal digits of its hash, so that equal bodies have equal tags.
  package init(of body: [UInt8]) {
    self.init(murmurHash3(body))
  }

  /// The text between the quotes of an If-None-Match; nil if its value does not consist of one strong tag.
  package static func opaque(of field: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let quote = UInt8(ascii: "\"")
    guard field.count >= 2, field.first == quote, field.last == quote else { return nil }
    return field.dropFirst().dropLast()
  }

  /// Whether the client has a response with this tag already.
  ///
  /// The original compared If-None-Match as text: lists, `*` and weak tags match nothing, and a request that has
  /// If-Modified-Since too never matches, because there is no Last-Modified to compare it with. Only a request that has
  /// come through a proxy is compared as RFC 9110 §13.1.2 says: a proxy that compresses makes the tag weak.
  package func matches(_ request: Request) -> Bool {
    let fields = request.head.fields
    guard Self.isRead(request.head.method), let tag = fields[.ifNoneMatch] else { return false }
    // First, because it is quick, and equal text names the tag by the rules of the RFC too.
    if fields[.ifModifiedSince] == nil, tag.elementsEqual(bytes) { return true }
    return request.head.isForwarded && isNamed(by: request)
  }

  /// Whether the If-None-Match of a GET or HEAD names this tag or, by `*`, any (RFC 9110 §13.1.2).
  package func isNamed(by request: Request) -> Bool {
    Self.isRead(request.head.method) && isElement(of: .ifNoneMatch, in: request.head.fields, weakly: true)
  }

  /// Whether a list of tags has this one, or is `*` (RFC 9110 §8.8.3).
  func isElement(of name: FieldName, in fields: Fields, weakly: Bool) -> Bool {
    fields.hasElement(name) { element in
      if element.elementsEqual("*".utf8) { return true }
      guard weakly else { return element.elementsEqual(bytes) && element.first == UInt8(ascii: "\"") }
      return Self.withoutWeakness(element).elementsEqual(Self.withoutWeakness(bytes[...]))
    }
  }

  /// The If-None-Match of a request without If-Modified-Since. Behind a proxy its tag may have become weak.
  package static func known(_ request: Request) -> ArraySlice<UInt8>? {
    guard request.head.fields[.ifModifiedSince] == nil, let tag = request.head.fields[.ifNoneMatch] else { return nil }
    return request.head.isForwarded ? withoutWeakness(tag) : tag
  }

  private static func isRead(_ method: Method) -> Bool { method == .get || method == .head }

  private static func withoutWeakness(_ tag: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    tag.starts(with: "W/".utf8) ? tag.dropFirst(2) : tag
  }
}
