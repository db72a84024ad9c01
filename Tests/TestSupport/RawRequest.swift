/// A request as it stood on the wire.
package struct RawRequest: Sendable {
  /// Such as `GET / HTTP/1.1`.
  package let line: String
  /// The header fields with their names in lower case.
  package let fields: [(name: String, value: String)]
  /// Empty if it was not read.
  package internal(set) var body: [UInt8] = []
  /// The number of its connection, from 1 on.
  package let connection: Int

  init(head: [UInt8], connection: Int) {
    let (lines, fields) = RawResponse.split(head)
    line = lines.first ?? ""
    self.fields = fields
    self.connection = connection
  }

  /// The value of the only field of this name, in lower case; nil when there is none or more than one.
  package subscript(name: String) -> String? {
    let found = fields.filter { $0.name == name }
    return found.count == 1 ? found[0].value : nil
  }

  var contentLength: Int { Int(self["content-length"] ?? "0") ?? 0 }
}
