// Encodes values of Swift types as JSON. JSONWriter.swift writes the text.
extension JSONWriter {
  /// The JSON of a value, with its members in the order in which it encodes them, and those of a dictionary by name.
  ///
  /// - Parameter writesNull: whether a member that is nil becomes null; otherwise it is left out.
  package static func encode(_ value: some Encodable, writesNull: Bool = false) throws -> [UInt8] {
    let encoder = ValueEncoder(writesNull: writesNull)
    try encoder.encode(value)
    var json = JSONWriter()
    encoder.write(to: &json)
    return json.bytes
  }
}

/// A value whose members that are nil are left out, also where others are written as null.
package protocol OmitsNil: Encodable {}

/// A JSON value that is built while something encodes itself.
private final class ValueEncoder: Encoder, SingleValueEncodingContainer {
  /// Nothing fails to be encoded, so that no error names a place.
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var scalar = ParameterValue.null
  private var members: [(name: String, value: ValueEncoder)]?
  private var elements: [ValueEncoder]?
  private(set) var writesNull: Bool

  init(writesNull: Bool) { self.writesNull = writesNull }

  var count: Int { elements?.count ?? 0 }

  func write(to json: inout JSONWriter) {
    if let members {
      return json.object { json in
        for member in members {
          json.key(text: member.name)
          member.value.write(to: &json)
        }
      }
    }
    if let elements { return json.array(of: elements) { $1.write(to: &$0) } }
    switch scalar {
    case .string(let text): json.string(text)
    case .number(let text): json.written(Array(text.utf8))
    case .bool(let isTrue): json.boolean(isTrue)
    default: json.null()
    }
  }

  func encodeNil() { scalar = .null }

  func encode<T: Encodable>(_ value: T) throws {
    switch value {
    case let text as String: scalar = .string(text)
    case let isTrue as Bool: scalar = .bool(isTrue)
    case let number as any BinaryInteger: scalar = .number("\(number)")
    case let number as any BinaryFloatingPoint: scalar = .number("\(number)")
    case let values as [String: any Encodable]:
      members = []
      for (name, value) in values.sorted(by: { $0.key < $1.key }) { try next(name).encode(value) }
    default:
      if value is any OmitsNil { writesNull = false }
      try value.encode(to: self)
    }
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
    members = members ?? []
    return KeyedEncodingContainer(EncodedMembers(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    elements = elements ?? []
    return EncodedElements(encoder: self)
  }

  /// One more member, or one more element if there is no name.
  func next(_ name: String? = nil) -> ValueEncoder {
    let value = ValueEncoder(writesNull: writesNull)
    if let name { members?.append((name, value)) } else { elements?.append(value) }
    return value
  }
}

private struct EncodedMembers<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { encoder.next(key.stringValue).encodeNil() }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try encoder.next(key.stringValue).encode(value) }

  // Those of documents: the protocol would leave nil out of the others.
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNull(value, key) }
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNull(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNull(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNull(value, key) }
  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try encodeOrNull(value, key) }

  private func encodeOrNull<T: Encodable>(_ value: T?, _ key: Key) throws {
    if let value { try encode(value, forKey: key) } else if encoder.writesNull { encodeNil(forKey: key) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder.next(key.stringValue).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.next(key.stringValue).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder }

  func superEncoder(forKey key: Key) -> any Encoder { encoder.next(key.stringValue) }
}

private struct EncodedElements: UnkeyedEncodingContainer {
  let encoder: ValueEncoder
  var codingPath: [any CodingKey] { [] }
  var count: Int { encoder.count }

  func encodeNil() { encoder.next().encodeNil() }

  func encode<T: Encodable>(_ value: T) throws { try encoder.next().encode(value) }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    encoder.next().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.next().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder.next() }
}
