import Foundation

package typealias RawResponse = RawMessage

/// A request or a response as it stood on the wire.
package struct RawMessage: Sendable {
  /// The first line and the header fields, as they were sent.
  package let lines: [String]
  /// The header fields with their names in lower case.
  package let fields: [(name: String, value: String)]
  /// Empty if it was not read.
  package internal(set) var body: [UInt8] = []
  /// Of a request, the number of its connection, from 1 on.
  package let connection: Int

  init(head: [UInt8], connection: Int = 0) {
    self.connection = connection
    lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    fields = lines.dropFirst().map { line in
      let name = line.prefix { $0 != ":" }
      return (name: name.lowercased(), value: String(line.dropFirst(name.count + 1).drop { $0 == " " }))
    }
  }

  /// All the bytes of a connection: a head, and whatever comes after it as the body.
  package init?(all bytes: [UInt8]) {
    guard let end = bytes.firstRange(of: "\r\n\r\n".utf8) else { return nil }
    self.init(head: Array(bytes[..<end.lowerBound]))
    body = Array(bytes[end.upperBound...])
  }

  /// Such as `GET / HTTP/1.1`.
  package var line: String { lines.first ?? "" }
  package var statusLine: String { line }
  package var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
  package var text: String { String(decoding: body, as: UTF8.self) }
  package var object: [String: Any]? { json as? [String: Any] }
  package var list: [[String: Any]]? { json as? [[String: Any]] }
  private var json: Any? { try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed) }
  package var announcesClose: Bool { self["connection"] == "close" }

  /// The value of the only field of this name, in lower case; nil when there is none or more than one.
  package subscript(name: String) -> String? {
    let found = fields.filter { $0.name == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// Whether it has the form that every error of the API has.
  package var isJSONError: Bool {
    self["content-type"] == "application/json; charset=utf-8"
      && text.hasPrefix("{\"status\":\(status),\"message\":\"") && text.hasSuffix("\"}")
  }

  /// How many bytes of a body follow the head: none in a response to HEAD, though it names a length.
  func bodyLength(hasBody: Bool) -> Int {
    !hasBody || status == 204 || status == 304 ? 0 : contentLength
  }

  var contentLength: Int { Int(self["content-length"] ?? "0") ?? 0 }
}
