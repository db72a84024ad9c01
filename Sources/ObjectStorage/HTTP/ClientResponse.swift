import HTTPMessages

/// A server's response.
struct ClientResponse: Sendable {
  var status = 0
  /// The lines of the fields, as received: few of them are ever read.
  var fieldLines: [UInt8] = []
  /// Of a response that is not successful it is no more than the beginning.
  var body: [UInt8] = []
  /// Whether the request was sent more than once, as after a connection that ended without a response. The server may do
  /// what it was asked for more than once, and the first time after the last.
  var wasResent = false

  var isSuccessful: Bool { (200..<300).contains(status) }

  /// The value of the first field of a name, which is in lower case.
  subscript(name: StaticString) -> String? {
    var rest = fieldLines[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = rest[..<end]
      rest = rest[(end + 1)...]
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line[..<colon].equalsIgnoringCase(name) else {
        continue
      }
      let value = line[(colon + 1)...].prefix { $0 != UInt8(ascii: "\r") }
      return String(decoding: value.trimmed, as: UTF8.self)
    }
    return nil
  }
}
