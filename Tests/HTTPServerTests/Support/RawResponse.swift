/// An answer as it stood on the wire.
struct RawResponse: Sendable {
  let statusLine: String
  let fields: [(name: String, value: String)]
  var body: [UInt8]

  init(head: [UInt8]) {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    statusLine = lines.first.map(String.init) ?? ""
    fields = lines.dropFirst().map { line in
      let name = line.prefix { $0 != ":" }
      return (name.lowercased(), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
    }
    body = []
  }

  var status: Int { Int(statusLine.split(separator: " ").dropFirst().first ?? "") ?? 0 }
  var text: String { String(decoding: body, as: UTF8.self) }
  var announcesClose: Bool { self["connection"] == "close" }

  /// The value of the one field of this name, in lower case; nil when there is none or more than one.
  subscript(name: String) -> String? {
    let found = fields.filter { $0.name == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// Whether it has the form that every error of the API has.
  var isJSONError: Bool {
    self["content-type"] == "application/json; charset=utf-8"
      && text.hasPrefix("{\"status\":\(status),\"message\":\"") && text.hasSuffix("\"}")
  }
}
