import Platform

/// The header fields of a request: the bytes received, and the place of each name and value in them. The fields of a
/// response are `ResponseFields` in Response.swift.
package struct Fields: Sendable {
  /// The place of a field: offsets into the bytes of the head. The value is without leading and trailing white space
  /// (RFC 9112 §5.1).
  package typealias Entry = (name: Range<Int32>, value: Range<Int32>)

  let bytes: [UInt8]
  /// Their ranges lie within `bytes`.
  let entries: [Entry]

  /// The value of the first field of this name; nil if there is none.
  package subscript(name: FieldName) -> ArraySlice<UInt8>? {
    entries.indices.first { matches(name, at: $0) }.map(value(at:))
  }

  /// The value of the first field of this name as text; bytes that are not UTF-8 become U+FFFD.
  package func text(_ name: FieldName) -> String? {
    self[name].map { String(decoding: $0, as: UTF8.self) }
  }

  /// Every value of this name, in order.
  package func all(_ name: FieldName) -> [ArraySlice<UInt8>] {
    entries.indices.filter { matches(name, at: $0) }.map(value(at:))
  }

  /// How many fields have this name.
  package func count(of name: FieldName) -> Int {
    entries.indices.reduce(0) { $0 + (matches(name, at: $1) ? 1 : 0) }
  }

  /// Whether an element satisfies the predicate, of the list that all fields of this name make together (RFC 9110 §5.3,
  /// §5.6.1). A comma within quotes separates nothing. Empty elements are skipped.
  package func hasElement(_ name: FieldName, where predicate: (ArraySlice<UInt8>) -> Bool) -> Bool {
    entries.indices.contains { matches(name, at: $0) && Self.hasElement(value(at: $0), where: predicate) }
  }

  private static func hasElement(_ list: ArraySlice<UInt8>, where predicate: (ArraySlice<UInt8>) -> Bool) -> Bool {
    var start = list.startIndex
    var isQuoted = false
    func isMatch(_ end: Int) -> Bool {
      let element = list[start..<end].trimmed
      return !element.isEmpty && predicate(element)
    }
    for index in list.indices {
      switch list[index] {
      case .quote: isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted:
        if isMatch(index) { return true }
        start = index + 1
      default: break
      }
    }
    return isMatch(list.endIndex)
  }

  /// The name of a field that was probably meant to be `name`, such as `Authorisation` or `Content_Type`; nil if none is
  /// like it, or if it is there.
  package func misspelling(of name: String) -> String? {
    let names = entries.prefix(Self.maxCompared).compactMap { entry in
      entry.name.count <= Self.maxComparedName
        ? String(decoding: bytes[Int(entry.name.lowerBound)..<Int(entry.name.upperBound)], as: UTF8.self) : nil
    }
    let near = names.map { (name: $0, distance: $0.lowercased().distance(to: name.lowercased())) }
      .min { $0.distance < $1.distance }
    return near.flatMap { 1...Self.maxDistance ~= $0.distance ? $0.name : nil }
  }

  /// Fields whose names are compared, bytes of a name, and letters in which a misspelt name differs.
  private static let (maxCompared, maxComparedName, maxDistance) = (32, 32, 3)

  /// The name and the value of each field, as received.
  package var pairs: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
    entries.indices.map { index in
      let name = entries[index].name
      return (bytes[Int(name.lowerBound)..<Int(name.upperBound)], value(at: index))
    }
  }

  private func matches(_ name: FieldName, at index: Int) -> Bool {
    let range = entries[index].name
    return name.matches(bytes.span.extracting(Int(range.lowerBound)..<Int(range.upperBound)))
  }

  private func value(at index: Int) -> ArraySlice<UInt8> {
    let range = entries[index].value
    return bytes[Int(range.lowerBound)..<Int(range.upperBound)]
  }
}
