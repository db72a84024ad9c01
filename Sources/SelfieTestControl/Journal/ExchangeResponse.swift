import HTTPMessages
import SelfieTestDocuments

extension Exchange.Response {
  static let maxTextBytes = 4096

  init(_ response: HTTPMessages.Response, to request: Request, _ mask: SecretMask) {
    var body = response.body
    if request.head.method == .head { body = .bytes([]) }
    let type = response.fields["Content-Type"] ?? ""
    let lines = response.fields.lines.split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    self.init(
      fields: lines.map { line in
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        return mask.field(name, line[name.endIndex...].dropFirst().trimmed)
      },
      byteCount: body.length.map(Int.init),
      text: type.hasPrefix("text/") || type.contains("json") ? body.content.map { Self.text($0, mask) } : nil)
  }

  private static func text(_ bytes: [UInt8], _ mask: SecretMask) -> String {
    // A secret may begin before the limit and end after it.
    let shown = mask.json(bytes.prefix(2 * maxTextBytes))
    var cut = shown[...]
    while cut.utf8.count > maxTextBytes { cut.removeLast() }
    return cut.endIndex < shown.endIndex || bytes.count > 2 * maxTextBytes ? cut + "…" : shown
  }
}
