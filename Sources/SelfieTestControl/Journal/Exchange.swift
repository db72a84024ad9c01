import Cryptography
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI
import SelfieTestDocuments

// Makes the parts of an exchange from a request and its response. `Exchange` in SelfieTestDocuments has its members,
// and `Journal` keeps it.
extension Exchange {
  /// About how many bytes of memory the exchange takes.
  var weight: Int {
    let values = JSONValue.weight(of: query) + JSONValue.weight(of: body.parameters)
    return (fields + (response?.fields ?? [])).reduce(512 + path.utf8.count + values) { $0 + $1.weight }
      + (response?.text?.utf8.count ?? 0) + (message?.utf8.count ?? 0)
  }
}

extension Exchange.Field {
  fileprivate var weight: Int { 64 + name.utf8.count + value.utf8.count }
}

// The parameters of recorded requests.
extension JSONValue {
  init(_ value: ParameterValue) {
    self =
      switch value {
      case .null, .undecodable: .null
      case .bool(let isTrue): .bool(isTrue)
      case .number(let text): .number(text)
      case .string(let text): .string(text)
      case .array(let elements): .array(elements.map(JSONValue.init))
      case .object(let members): .object(members.mapValues(JSONValue.init))
      case .file(let filename, let byteCount, let type):
        .object([
          "filename": filename.map(JSONValue.string) ?? .null, "byte_count": .number("\(byteCount)"),
          "content_type": type.map(JSONValue.string) ?? .null,
        ])
      }
  }

  fileprivate var weight: Int {
    switch self {
    case .null, .bool: 16
    case .number(let text), .string(let text): 32 + text.utf8.count
    case .array(let elements): elements.reduce(48) { $0 + 16 + $1.weight }
    case .object(let members): Self.weight(of: members)
    }
  }

  static func weight(of members: [String: JSONValue]) -> Int {
    members.reduce(64) { $0 + 48 + $1.key.utf8.count + $1.value.weight }
  }
}

extension Exchange.Token {
  /// - Parameter now: by the world's clock.
  /// - Returns: nil if the request has no token.
  init?(of request: Request, in database: Database, now: Int64) {
    guard case .token(let letters)? = request.head.fields[.authorization].flatMap(Authorization.parse) else {
      return nil
    }
    let digest = SelfieAPI.Token.digest(of: Array(letters))
    let found = try? database.read { connection in
      try connection.first(TokenStore.token(digest: digest), as: SelfieAPI.Token.self).map { token in
        (token, try connection.first(UserStore.user(id: token.userID), as: User.self)?.email)
      }
    }
    let state: State =
      switch found?.0 {
      case nil: .unknown
      case let token? where token.refreshedAt != nil: .refreshed
      case let token?: token.isLive(at: now) ? .valid : .expired
      }
    self.init(
      state: state, email: found?.1, expiresAt: (found?.0.expiresAt).map(TestInstant.init(milliseconds:)),
      digest: Digest.hex(digest))
  }
}

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
