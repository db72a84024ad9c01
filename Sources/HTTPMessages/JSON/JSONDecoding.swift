extension JSONReader {
  /// Reads a value whose type says which members it has, without arrays. Members that the type does not name are ignored.
  ///
  /// - Throws: `ParameterError` for what is no JSON, and `DecodingError` for JSON of another form.
  package static func decode<Value: Decodable>(_: Value.Type = Value.self, from bytes: [UInt8]) throws -> Value {
    try ValueDecoder(value: try read(bytes)).decode(Value.self)
  }
}

/// Decodes a JSON value, with the place at which it stands.
private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: ParameterValue
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func decodeNil() -> Bool { value == .null }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let scalar = scalar(of: type) { return scalar }
    // A scalar decodes itself by asking for itself.
    guard !(type is any LosslessStringConvertible.Type) else { throw mismatch(type) }
    return try T(from: self)
  }

  private func scalar<T>(of type: T.Type) -> T? {
    switch value {
    case .string(let text): text as? T
    case .bool(let bool): bool as? T
    case .number(let text): type == String.self ? nil : (type as? any LosslessStringConvertible.Type)?.init(text) as? T
    default: nil
    }
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: Any].self) }
    return KeyedDecodingContainer(DecodedMembers(members: members, codingPath: codingPath))
  }

  /// Nothing that is read has arrays.
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "The value is of another type."))
  }
}

private struct DecodedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: [String: ParameterValue]
  let codingPath: [any CodingKey]

  var allKeys: [Key] { members.keys.compactMap(Key.init) }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder { ValueDecoder(value: .object(members), codingPath: codingPath) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: any CodingKey) throws -> ValueDecoder {
    guard let value = members[key.stringValue] else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "The member is missing."))
    }
    return ValueDecoder(value: value, codingPath: codingPath + [key])
  }
}
