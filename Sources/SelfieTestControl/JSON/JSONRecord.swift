import HTTPMessages

/// A record that is read, checked and written as a JSON object. Its members are stated once, for all three.
protocol JSONRecord: Sendable {
  /// In the order in which they are written.
  static var members: [JSONMember<Self>] { get }
  /// A record in which every member that may be absent has its default.
  ///
  /// - Parameter now: unix milliseconds.
  static func blank(at now: Int64) -> Self
  /// The record for which a text may be given instead of an object; nil if none may.
  static func shorthand(_ text: String) -> Self?
  /// Adds what is wrong with the record as a whole.
  ///
  /// - Parameter place: where the record is, such as `users[0]`.
  func checkWhole(_ place: String, _ problems: inout Problems)
}

extension JSONRecord {
  static func shorthand(_ text: String) -> Self? { nil }

  func checkWhole(_ place: String, _ problems: inout Problems) {}

  init(_ members: JSONMembers) throws {
    try members.allow(Self.members.map(\.name))
    self = Self.blank(at: 0)
    for member in Self.members { try member.read(members, &self) }
  }

  func check(_ place: String, _ problems: inout Problems) {
    let start = place.isEmpty ? "" : "\(place)."
    for member in Self.members { member.check(self, start, &problems) }
    checkWhole(place, &problems)
  }

  /// Throws everything that is wrong.
  ///
  /// - Parameter known: what is known before the check.
  func check(at place: String = "", known: Problems = Problems()) throws(ControlError) {
    var problems = known
    check(place, &problems)
    guard problems.sentences.isEmpty else { throw ControlError(.invalid, problems.sentences) }
  }

  func writeMembers(to json: inout JSONWriter) {
    for member in Self.members { member.write(self, &json) }
  }
}

/// A member of a record's JSON object.
struct JSONMember<Record>: Sendable {
  let name: String
  let read: @Sendable (JSONMembers, inout Record) throws -> Void
  /// `start` is the place of the record with a dot after it.
  var check: @Sendable (Record, _ start: String, inout Problems) -> Void = { _, _, _ in }
  var write: @Sendable (Record, inout JSONWriter) -> Void = { _, _ in }
}

extension JSONMember {
  private init<Value>(
    _ key: StaticString, _ kind: JSONKind<Value>, _ get: @escaping @Sendable (Record) -> Value?,
    read: @escaping @Sendable (JSONMembers, String, inout Record) throws -> Void
  ) {
    let name = "\(key)"
    self.name = name
    self.read = { try read($0, name, &$1) }
    check = { record, start, problems in
      if let value = get(record) { kind.check(value, "\(start)\(name)", &problems) }
    }
    write = { record, json in
      json.key(key)
      if let value = get(record) { kind.write(&json, value) } else { json.null() }
    }
  }

  /// A member that must be there.
  static func required<Value>(
    _ key: StaticString, _ path: WritableKeyPath<Record, Value> & Sendable, _ kind: JSONKind<Value>
  ) -> JSONMember {
    JSONMember(key, kind, { $0[keyPath: path] }) { members, name, record in
      guard let value = try kind.read(members, name) else { throw members.wrong(name, kind.missing) }
      record[keyPath: path] = value
    }
  }

  /// A member without which the record keeps its default.
  ///
  /// - Parameter other: if not nil, a member whose value the record takes instead.
  static func optional<Value>(
    _ key: StaticString, _ path: WritableKeyPath<Record, Value> & Sendable, _ kind: JSONKind<Value>,
    else other: (@Sendable (Record) -> Value)? = nil
  ) -> JSONMember {
    JSONMember(key, kind, { $0[keyPath: path] }) { members, name, record in
      record[keyPath: path] = try kind.read(members, name) ?? other?(record) ?? record[keyPath: path]
    }
  }

  /// A member that may be null.
  static func nullable<Value>(
    _ key: StaticString, _ path: WritableKeyPath<Record, Value?> & Sendable, _ kind: JSONKind<Value>
  ) -> JSONMember {
    JSONMember(key, kind, { $0[keyPath: path] }) { $2[keyPath: path] = try kind.read($0, $1) }
  }

  /// A member that is written only if the record has a value.
  static func omittable<Value>(
    _ key: StaticString, _ path: WritableKeyPath<Record, Value?> & Sendable, _ kind: JSONKind<Value>
  ) -> JSONMember {
    var member = nullable(key, path, kind)
    member.write = { [write = member.write] in if $0[keyPath: path] != nil { write($0, &$1) } }
    return member
  }
}

extension JSONRecord {
  /// An element of a list.
  init(_ element: ParameterValue, name: String, in members: JSONMembers) throws {
    if case .string(let text) = element, let record = Self.shorthand(text) {
      self = record
    } else if let object = members.object(element, at: name) {
      self = try Self(object)
    } else {
      let names = Self.members.map(\.name).joined(separator: ", ")
      let hasShorthand = Self.shorthand("") != nil
      throw members.wrong(name, hasShorthand ? "must be a string, or an object with \(names)" : "must be an object")
    }
  }
}

extension JSONWriter {
  /// Writes a value that was read. The members of objects are sorted by name.
  mutating func value(_ value: ParameterValue) {
    switch value {
    case .null: null()
    case .bool(let isTrue): boolean(isTrue)
    case .number(let number): written(Array(number.utf8))
    case .string(let text): string(text)
    case .array(let elements): array(of: elements) { $0.value($1) }
    case .object(let members): object(members) { $0.value($1) }
    case .file: null()
    }
  }

  /// Writes an object whose members may have any name, sorted by name.
  mutating func object<Value>(_ members: [String: Value], _ write: (inout JSONWriter, Value) -> Void) {
    object { json in
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        json.key(text: name)
        write(&json, value)
      }
    }
  }

  /// Writes a member whose value is an array of objects.
  mutating func member<Element>(
    _ name: StaticString, objects elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
  ) {
    member(name, array: elements) { json, element in json.object { members(&$0, element) } }
  }
}
