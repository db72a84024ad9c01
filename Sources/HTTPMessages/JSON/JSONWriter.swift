/// Writes JSON as Rails 4.1 does: keys in the order of the calls, no white space, and `<`, `>`, `&`, U+2028 and U+2029
/// escaped so that the text may stand in a page. JSONEscape.swift has the escapes, and JSONEncoding.swift encodes
/// values of Swift types.
package struct JSONWriter: ~Copyable {
  private var buffer: ByteBuffer
  /// Whether a comma must stand before the next value.
  private var needsComma = false
  /// A time that was written, and where: most rows have the same one twice.
  private var lastTime: (milliseconds: Int64, place: Range<Int>)?

  /// - Parameters:
  ///   - capacity: how many bytes are expected.
  ///   - continuesArray: whether the first value follows others, which are written already.
  package init(capacity: Int = 256, continuesArray: Bool = false) {
    buffer = ByteBuffer(capacity: capacity)
    needsComma = continuesArray
  }

  package var bytes: [UInt8] { buffer.bytes }

  package var count: Int { buffer.count }

  /// A JSON object.
  package static func object(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.object(members)
    return json.bytes
  }

  package mutating func object(_ members: (inout JSONWriter) throws -> Void) rethrows {
    open(UInt8(ascii: "{"))
    try members(&self)
    close(UInt8(ascii: "}"))
  }

  package mutating func array(_ elements: (inout JSONWriter) throws -> Void) rethrows {
    open(UInt8(ascii: "["))
    try elements(&self)
    close(UInt8(ascii: "]"))
  }

  package mutating func array<Element>(
    of elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
  ) {
    array { json in
      for element in elements { write(&json, element) }
    }
  }

  /// A member's key; `name` needs no escapes.
  package mutating func key(_ name: StaticString) {
    separate()
    buffer.append(jsonKey: name)
    needsComma = false
  }

  /// A member's key, whatever it holds.
  package mutating func key(text name: String) {
    string(name)
    buffer.append(UInt8(ascii: ":"))
    needsComma = false
  }

  package mutating func member(_ name: StaticString, _ text: String?) {
    key(name)
    guard let text else { return null() }
    string(text)
  }

  package mutating func member(_ name: StaticString, _ number: Int64?) {
    key(name)
    guard let number else { return null() }
    integer(number)
  }

  package mutating func member<Element>(
    _ name: StaticString, array elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    array(of: elements, write)
  }

  package mutating func member(_ name: StaticString, _ isTrue: Bool) {
    key(name)
    boolean(isTrue)
  }

  /// A time in unix milliseconds, as `2026-11-20T22:24:16.641Z`, or null.
  package mutating func member(_ name: StaticString, time milliseconds: Int64?) {
    key(name)
    guard let milliseconds else { return null() }
    separate()
    buffer.append(UInt8(ascii: "\""))
    let start = buffer.count
    if let lastTime, lastTime.milliseconds == milliseconds {
      buffer.append(copyOf: lastTime.place)
    } else {
      Timestamp.append(milliseconds, to: &buffer)
    }
    lastTime = (milliseconds, start..<buffer.count)
    buffer.append(UInt8(ascii: "\""))
    needsComma = true
  }

  package mutating func null() { value { $0.append("null") } }

  package mutating func boolean(_ isTrue: Bool) { value { $0.append(isTrue ? "true" : "false") } }

  package mutating func integer(_ number: Int64) { value { $0.append(number: number) } }

  package mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string(utf8: $0) }
  }

  /// A string of UTF-8 bytes.
  package mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
    value { buffer in
      buffer.append(UInt8(ascii: "\""))
      buffer.append(escaping: text)
      buffer.append(UInt8(ascii: "\""))
    }
  }

  /// A string of a ``fragment(_:escaping:then:)`` and bytes that are known to need no escapes.
  package mutating func string(_ first: [UInt8] = [], plain second: UnsafeBufferPointer<UInt8>) {
    value { buffer in
      buffer.append(UInt8(ascii: "\""))
      buffer.append(first)
      buffer.append(second)
      buffer.append(UInt8(ascii: "\""))
    }
  }

  /// A value that is JSON already.
  package mutating func written(_ json: [UInt8]) { value { $0.append(json) } }

  /// The brackets and keys before the first element of an array.
  package mutating func open(_ text: StaticString) {
    separate()
    buffer.append(text)
    needsComma = false
  }

  /// The brackets after the last element of an array.
  package mutating func close(_ text: StaticString) {
    buffer.append(text)
    needsComma = true
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    buffer.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    buffer.append(bracket)
    needsComma = true
  }

  @inline(__always)
  private mutating func value(_ write: (inout ByteBuffer) -> Void) {
    separate()
    write(&buffer)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { buffer.append(UInt8(ascii: ",")) }
  }
}
