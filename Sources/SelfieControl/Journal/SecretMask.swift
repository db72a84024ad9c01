import HTTPMessages
import SelfieAPI

/// Makes of what a request holds what may be shown: who reads a test's log must not learn a password or a token.
struct SecretMask {
  private let application: Application
  /// What must not be shown wherever it stands: the API's password, and the credentials of this request.
  private let secrets: [[UInt8]]

  /// Shorter ones are part of ordinary words.
  private static let minSecretBytes = 8
  private static let masked = "(…)"

  init(for request: Request, _ application: Application) {
    self.application = application
    var secrets = [application.apiPassword]
    switch request.head.fields[.authorization].flatMap(Authorization.parse) {
    case .basic(let encoded)?: secrets.append(Array(encoded))
    case .token(let letters)?: secrets.append(Array(letters))
    case nil: break
    }
    self.secrets = secrets.filter { $0.count >= Self.minSecretBytes }
  }

  /// A text without the secrets that are known.
  func text(_ text: String) -> String {
    var bytes = Array(text.utf8)
    var isChanged = false
    for secret in secrets where bytes.count >= secret.count {
      var index = 0
      while index <= bytes.count - secret.count {
        if bytes[index] == secret[0], bytes[index..<(index + secret.count)].elementsEqual(secret) {
          bytes.replaceSubrange(index..<(index + secret.count), with: Self.masked.utf8)
          isChanged = true
        }
        index += 1
      }
    }
    return isChanged ? String(decoding: bytes, as: UTF8.self) : text
  }

  /// A header field.
  func field(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> RecordedField {
    let name = String(decoding: name, as: UTF8.self)
    return RecordedField(name: text(name), value: shown(value, of: name.lowercased()))
  }

  private func shown(_ value: ArraySlice<UInt8>, of name: String) -> String {
    switch name {
    case "authorization": return credentials(value)
    case "cookie", "proxy-authorization": return Self.masked
    case "referer":
      let address = text(String(decoding: value, as: UTF8.self))
      let withoutQuery = address.prefix { $0 != "?" }
      return withoutQuery.endIndex == address.endIndex ? address : "\(withoutQuery)?\(Self.masked)"
    default: return Self.kind(of: name) == .plain ? text(String(decoding: value, as: UTF8.self)) : Self.masked
    }
  }

  private func credentials(_ value: ArraySlice<UInt8>) -> String {
    switch Authorization.parse(value) {
    case .basic(let encoded)?: "Basic (API credentials: \(application.isRight(basic: encoded) ? "right" : "wrong"))"
    case .token?: value.first.map { $0 | 0x20 } == UInt8(ascii: "b") ? "Bearer \(Self.masked)" : "Token \(Self.masked)"
    case nil: Self.masked
    }
  }

  /// Parameters by their names.
  func parameters(_ parameters: [String: ParameterValue]) -> [String: RecordedValue] {
    var shown: [String: RecordedValue] = [:]
    for (name, value) in parameters { shown[self.name(name)] = self.value(value, of: name) }
    return shown
  }

  /// A name; where a whole body has become one, as that of JSON that is sent as a form does, nothing of it.
  private func name(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    return isPlain || Self.kind(of: name) == .plain ? text(name) : Self.masked
  }

  private func value(_ value: ParameterValue, of name: String) -> RecordedValue {
    if value == .null { return .null }
    switch Self.kind(of: name) {
    case .password: return .text(application.decrypts(value) ? "decrypts: yes" : "decrypts: no")
    case .secret: return .text(Self.masked)
    case .plain: break
    }
    switch value {
    case .null: return .null
    case .bool(let isTrue): return .boolean(isTrue)
    case .number(let number):
      let shown = text(number)
      return shown == number ? .number(number) : .text(shown)
    case .string(let string): return .text(text(string))
    case .array(let elements): return .list(elements.map { self.value($0, of: "") })
    case .object(let members): return .members(parameters(members))
    case .file(let file):
      return .file(
        RecordedFile(
          filename: file.filename.map(text), byteCount: file.byteCount,
          contentType: file.contentType ?? "application/octet-stream"))
    }
  }

  private enum Kind {
    case plain, password, secret
  }

  /// By the names that the API and the clients' other backends use: password, new_password, api_authtoken, …
  private static func kind(of name: String) -> Kind {
    let name = name.lowercased()
    if name.contains("pass") { return .password }
    return ["token", "secret", "api_key", "api-key", "apikey"].contains(where: name.contains) ? .secret : .plain
  }
}
