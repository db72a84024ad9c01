// Decodes values of Swift types from JSON. JSONReader.swift parses the text.
extension JSONReader {
  /// Reads a value whose type says which members it has. Members that the type does not name are ignored.
  ///
  /// - Throws: `ParameterError` for what is no JSON, and `DecodingError` for JSON of another form.
  package static func decode<Value: Decodable>(_: Value.Type = Value.self, from bytes: [UInt8]) throws -> Value {
    try ValueDecoder(value: try read(bytes)).decode(Value.self)
  }

  /// Decodes a value whose type says which members it may have, and finds everything that the type does not take.
  ///
  /// - Returns: the value, and a sentence for each mistake, which begins with the mistake's place. With mistakes, the value
  ///   is not to be used.
  package static func decode<Value: Decodable>(
    _: Value.Type = Value.self, strictly value: ParameterValue
  ) -> (value: Value?, mistakes: [String]) {
    var mistakes: [String] = []
    let decoder = ValueDecoder(value: value) { mistakes.append($0) }
    return (try? decoder.collecting { try decoder.decode(Value.self) }, mistakes)
  }
}

/// Decodes a JSON value, with the place at which it stands. The texts of its errors are the ends of sentences.
private final class ValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: ParameterValue
  let codingPath: [any CodingKey]
  /// Takes a sentence for each mistake; nil to throw the first one.
  let note: ((String) -> Void)?
  /// The members that the value's type has asked for, in the order of its questions.
  private var askedNames: [String] = []
  private var type: Any.Type?
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(value: ParameterValue, codingPath: [any CodingKey] = [], note: ((String) -> Void)? = nil) {
    (self.value, self.codingPath, self.note) = (value, codingPath, note)
  }

  /// Adds a mistake that `read` throws to those that are collected, and returns nil then.
  func collecting<Value>(_ read: () throws -> Value) throws -> Value? {
    do {
      return try read()
    } catch let error as DecodingError {
      guard let note else { throw error }
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        note("\(Self.place(context.codingPath)) \(context.debugDescription).")
      @unknown default: note("\(error)")
      }
      return nil
    }
  }

  /// Such as `users[0].email`.
  private static func place(_ path: [any CodingKey]) -> String {
    let place = path.reduce("") { place, key in
      key.intValue.map { "\(place)[\($0)]" } ?? (place.isEmpty ? key.stringValue : "\(place).\(key.stringValue)")
    }
    return place.isEmpty ? "The body" : place
  }

  func decodeNil() -> Bool { value == .null }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let scalar = scalar(of: type) { return scalar }
    // A scalar decodes itself by asking for itself.
    guard !(type is any LosslessStringConvertible.Type) else { throw mismatch(type) }
    // Each is cast on its own: nil would pass for an optional T.
    if let type = type as? any DecodableList.Type, let list = try type.init(elementsOf: self) as? T { return list }
    if case .string(let text) = value, Self.choices(of: type)?.contains(text) == false { throw mismatch(type) }
    if case .string(let text) = value, let found = Self.literal(of: type, text), let literal = found as? T {
      return literal
    }
    self.type = type
    let decoded = try T(from: self)
    refuseOthers()
    return decoded
  }

  private func scalar<T>(of type: T.Type) -> T? {
    let scalar = type as? any LosslessStringConvertible.Type
    return switch value {
    case .string(let text): text as? T ?? (isText(scalar) ? scalar?.init(text).flatMap { $0 as? T } : nil)
    case .bool(let bool): bool as? T
    case .number(let text): type == String.self ? nil : scalar?.init(text).flatMap { $0 as? T }
    default: nil
    }
  }

  /// Whether a text stands for a scalar: a query has nothing else.
  private func isText(_ scalar: Any.Type?) -> Bool { note != nil && !(scalar is any BinaryFloatingPoint.Type) }

  /// Adds the members that the type has not asked for.
  private func refuseOthers() {
    guard let note, case .object(let members) = value, !askedNames.isEmpty else { return }
    let others = members.keys.filter { !askedNames.contains($0) }.sorted()
    guard !others.isEmpty else { return }
    let place = codingPath.isEmpty ? "" : "\(Self.place(codingPath))."
    let possible = askedNames.joined(separator: ", ")
    note(
      "There is no \(others.map { place + $0 }.joined(separator: ", ")) here. Possible members: \(possible).")
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object = value else { throw mismatch(type ?? [String: Any].self) }
    return KeyedDecodingContainer(DecodedMembers(decoder: self))
  }

  /// Lists are read at once.
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw mismatch([Any].self) }

  /// The value that may be written as this text, of a type that has such values.
  private static func literal(of type: Any.Type, _ text: String) -> Any? {
    func make<T: ExpressibleByStringLiteral>(_: T.Type) -> T? {
      (text as? T.StringLiteralType).map(T.init(stringLiteral:))
    }
    return (type as? any ExpressibleByStringLiteral.Type).flatMap { make($0) }
  }

  /// The names of an enum's cases.
  private static func choices(of type: Any.Type) -> [String]? {
    func names<T: CaseIterable & RawRepresentable>(_: T.Type) -> [String] { T.allCases.map { "\($0.rawValue)" } }
    return (type as? any (CaseIterable & RawRepresentable).Type).map { names($0) }
  }

  func mismatch(_ type: Any.Type) -> DecodingError {
    let expected =
      switch type {
      case _ where Self.choices(of: type) != nil:
        "must be one of \(Self.choices(of: type)?.joined(separator: ", ") ?? "")"
      case is String.Type: "must be a string"
      case is any ExpressibleByStringLiteral.Type: "must be a string or an object"
      case is Bool.Type: "must be true or false"
      case is any BinaryInteger.Type: "must be a whole number"
      case is any BinaryFloatingPoint.Type: "must be a number"
      case is any DecodableList.Type, is [Any].Type: "must be a list"
      default: "must be an object"
      }
    return .typeMismatch(type, .init(codingPath: codingPath, debugDescription: expected))
  }

  /// A member or an element of the value.
  func decoder(of value: ParameterValue, at key: any CodingKey) -> ValueDecoder {
    ValueDecoder(value: value, codingPath: codingPath + [key], note: note)
  }

  /// The member for which the type asks.
  func member(_ key: some CodingKey) -> ParameterValue? {
    if !askedNames.contains(key.stringValue) { askedNames.append(key.stringValue) }
    return value[member: key.stringValue]
  }
}

private protocol DecodableList {
  init(elementsOf decoder: ValueDecoder) throws
}

extension Array: DecodableList where Element: Decodable {
  fileprivate init(elementsOf decoder: ValueDecoder) throws {
    guard case .array(let elements) = decoder.value else { throw decoder.mismatch(Self.self) }
    self = try elements.enumerated().compactMap { index, element in
      try decoder.collecting {
        try decoder.decoder(of: element, at: ElementIndex(intValue: index)).decode(Element.self)
      }
    }
  }
}

private struct ElementIndex: CodingKey {
  let intValue: Int?
  var stringValue: String { "\(intValue ?? 0)" }

  init(intValue: Int) { self.intValue = intValue }
  init?(stringValue: String) { return nil }
}

private struct DecodedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] {
    if case .object(let members) = decoder.value { members.keys.compactMap(Key.init) } else { [] }
  }

  func contains(_ key: Key) -> Bool { decoder.member(key) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let scalar = type as? any LosslessStringConvertible.Type,
      let placeholder = (scalar.init("0") ?? scalar.init("false")) as? T
    else { return try decoder(key).decode(type) }
    return try decoder.collecting { try decoder(key).decode(type) } ?? placeholder
  }

  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    guard let value = decoder.member(key), value != .null else { return nil }
    return try decoder.collecting { try decoder(key).decode(type) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() -> any Decoder { decoder }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws -> ValueDecoder {
    guard let value = decoder.member(key) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath + [key], debugDescription: "is missing"))
    }
    return decoder.decoder(of: value, at: key)
  }
}
