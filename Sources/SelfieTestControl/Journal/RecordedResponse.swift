import HTTPMessages

/// A response as recorded in the journal.
public struct RecordedResponse: Sendable, Equatable {
  /// The header fields, except for those that the server adds to each response, such as Content-Length and Date.
  public let fields: [RecordedField]
  /// How many bytes the body has; nil for a long list, which is sent while it is read.
  public let byteCount: Int?
  /// The body if it is a text and no long list. A text of more than 4096 bytes is cut off, and ends in `…`.
  public let text: String?

  static let maxTextBytes = 4096

  /// About how many bytes of memory the response takes.
  var weight: Int { fields.reduce(text?.utf8.count ?? 0) { $0 + $1.weight } }
}

extension RecordedResponse {
  init(_ response: Response, to request: Request, _ mask: SecretMask) {
    var body = response.body
    if case .truncated(let count) = response.transportFault { body = body.part(from: 0, count: count) }
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
