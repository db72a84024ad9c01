import HTTPMessages

extension JSONWriter {
  /// Writes a member whose value is an array.
  mutating func member<Element>(
    _ name: StaticString, array elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    array { json in
      for element in elements { write(&json, element) }
    }
  }

  /// Writes a member whose value is an array of objects.
  mutating func member<Element>(
    _ name: StaticString, objects elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
  ) {
    member(name, array: elements) { json, element in json.object { members(&$0, element) } }
  }
}
