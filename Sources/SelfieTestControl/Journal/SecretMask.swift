import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

/// Masks secrets in recorded requests and responses, so that logs of tests contain no passwords or tokens.
/// `RecordedBody` has the bodies, and `Journal` keeps the result.
struct SecretMask {
  private let application: Application
  /// The secrets that are masked wherever they occur: the API's password and the credentials of this request.
  private let secrets: [[UInt8]]

  /// A shorter secret may be part of ordinary words.
  private static let minSecretBytes = 8
  static let masked = "(…)"

  init(for request: Request, _ application: Application) {
    self.application = application
    let settings = application.settings
    var secrets = [settings.authPassword, settings.previousAuthPassword].compactMap { $0.map { Array($0.utf8) } }
    switch request.head.fields[.authorization].flatMap(Authorization.parse) {
    case .basic(let encoded)?:
      secrets.append(Array(encoded))
      secrets.append(BasicCredentials(decoding: encoded).password)
    case .token(let letters)?: secrets.append(Array(letters))
    case nil: break
    }
    secrets += request.sessionCookies.map(Array.init)
    self.secrets = secrets.filter { $0.count >= Self.minSecretBytes }
  }

  /// A text with the known secrets masked.
  func text(_ text: String) -> String {
    var bytes = Array(text.utf8)
    for secret in secrets where bytes[...].firstOccurrence(of: secret, from: bytes.startIndex) != nil {
      bytes.replace(secret, with: Array(Self.masked.utf8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A path, into which a client may have put what belongs into the query.
  func path(_ path: String) -> String {
    let end = Self.isSecret(path) ? path.firstIndex(of: "=") : nil
    return text(end.map { "\(path[..<$0])=\(Self.masked)" } ?? path)
  }

  /// JSON, or the beginning of it, with the known secrets and the values of secret members masked.
  func json(_ bytes: ArraySlice<UInt8>) -> String {
    let quote = UInt8(ascii: "\"")
    var shown: [UInt8] = []
    var rest = bytes
    var isSecret = false
    while let start = rest.firstIndex(of: quote) {
      var end = start + 1
      while end < rest.endIndex, rest[end] != quote { end += rest[end] == UInt8(ascii: "\\") ? 2 : 1 }
      let string = rest[(start + 1)..<min(end, rest.endIndex)]
      let after = rest[string.endIndex...]
      let isName = after.dropFirst().first { $0 > 0x20 } == UInt8(ascii: ":")
      shown += rest[...start] + (isSecret && !isName ? Array(Self.masked.utf8)[...] : string) + after.prefix(1)
      if isName { isSecret = Self.isSecret(String(decoding: string, as: UTF8.self)) }
      rest = after.dropFirst()
    }
    return text(String(decoding: shown + rest, as: UTF8.self))
  }

  /// The known secrets in a body that cannot be read, and what seems to be the value of a field whose name says that it is
  /// secret: up to the next field, or up to the quotes, brackets and line ends before that.
  ///
  /// - Returns: in order. They may overlap.
  func secretRanges(in body: BrokenBody) -> [Range<Int>] {
    var ranges = Self.secretValues(in: body)
    if case .multipart = body.syntax { ranges += Self.namelessParts(of: body) }
    for secret in secrets {
      var index = 0
      while let start = body.bytes[...].firstOccurrence(of: secret, from: index) {
        index = start + secret.count
        ranges.append(start..<index)
      }
    }
    return ranges.sorted { $0.lowerBound < $1.lowerBound }
  }

  private static func secretValues(in body: BrokenBody) -> [Range<Int>] {
    let (bytes, syntax) = (body.bytes, body.syntax)
    let isClosing: (UInt8) -> Bool = { $0.isASCIISpace || "\"'}],".utf8.contains($0) }
    var ranges: [Range<Int>] = []
    var index = 0
    while let name = bytes[index...].firstIndex(where: \.isPartOfName) {
      let end = bytes[name...].firstIndex { !$0.isPartOfName } ?? bytes.count
      index = end
      guard isSecret(String(decoding: bytes[name..<end], as: UTF8.self)) else { continue }
      let value = bytes[end...].firstIndex { !$0.isASCIISpace && !"\"':=".utf8.contains($0) } ?? bytes.count
      index = bytes[value...].indices.first { syntax.beginsField(bytes[$0...]) } ?? bytes.count
      let last = bytes[value..<index].lastIndex { !isClosing($0) }
      if let last { ranges.append(value..<last + 1) }
    }
    return ranges
  }

  /// Parts of a multipart body without a name, with their heads.
  private static func namelessParts(of body: BrokenBody) -> [Range<Int>] {
    let bytes = body.bytes
    let starts = [0] + bytes.indices.dropFirst().filter { body.syntax.beginsField(bytes[$0...]) }
    return zip(starts, starts.dropFirst() + [bytes.count]).compactMap { start, end in
      let lines = (bytes[start..<end].firstIndex(of: UInt8(ascii: "\n")) ?? end)..<end
      guard !bytes[lines].containsIgnoringCase("name=") else { return nil }
      let last = bytes[lines].lastIndex { !$0.isASCIISpace }
      return last.map { lines.lowerBound + 1..<$0 + 1 }
    }
  }

  func field(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Exchange.Field {
    let name = String(decoding: name, as: UTF8.self)
    return Exchange.Field(name: text(name), value: shown(value, of: name.lowercased()))
  }

  private func shown(_ value: ArraySlice<UInt8>, of name: String) -> String {
    switch name {
    case "authorization": return credentials(value)
    case "cookie", "proxy-authorization", "set-cookie": return Self.masked
    case "referer":
      let withoutQuery = value.prefix { $0 != UInt8(ascii: "?") }
      let address = text(String(decoding: withoutQuery, as: UTF8.self))
      return withoutQuery.endIndex == value.endIndex ? address : "\(address)?\(Self.masked)"
    default:
      if Self.isSecret(name) { return Self.masked }
      // A misspelt Authorization has the same secret.
      return Authorization.parse(value) == nil ? text(String(decoding: value, as: UTF8.self)) : credentials(value)
    }
  }

  private func credentials(_ value: ArraySlice<UInt8>) -> String {
    switch Authorization.parse(value) {
    case .basic(let encoded)?: basicCredentials(encoded)
    case .token?: value.first.map { $0 | 0x20 } == UInt8(ascii: "b") ? "Bearer \(Self.masked)" : "Token \(Self.masked)"
    case nil: Self.masked
    }
  }

  /// The API's credentials, or those of a user of the Notes app, whose name is an email address.
  private func basicCredentials(_ encoded: ArraySlice<UInt8>) -> String {
    let name = String(decoding: BasicCredentials(decoding: encoded).name, as: UTF8.self)
    if Validation.isEmail(name) { return "Basic (password of \(text(name)))" }
    let isRight = application.passwords.keys.contains { $0.match(encoded) }
    return "Basic (API credentials: \(isRight ? "right" : "wrong"))"
  }

  /// Parameters with secrets masked. Parameters with names like `password` or `token` count as secrets.
  func parameters(_ parameters: [String: ParameterValue]) -> [String: ParameterValue] {
    var shown: [String: ParameterValue] = [:]
    for (name, value) in parameters { shown[self.name(name)] = self.value(value, of: name) }
    return shown
  }

  /// The name of a parameter, or a mask. JSON that is sent as a form becomes one long name, which may contain secrets.
  private func name(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_-.".utf8.contains($0) }
    return isPlain || !Self.isSecret(name) ? text(name) : Self.masked
  }

  private func value(_ value: ParameterValue, of name: String) -> ParameterValue {
    if value == .null { return .null }
    if Self.isPassword(name) {
      return .string(finding(about: value))
    }
    if Self.isSecret(name) { return .string(Self.masked) }
    switch value {
    case .null, .bool, .undecodable: return value
    case .number(let number):
      let shown = text(number)
      return shown == number ? value : .string(shown)
    // Without a name, nothing says that a text is no secret.
    case .string(let string): return .string(name == "_json" ? Self.masked : text(string))
    case .array(let elements): return .array(elements.map { self.value($0, of: name) })
    case .object(let members): return .object(parameters(members))
    case .file(let filename, let byteCount, let type):
      return .file(filename: filename.map(text), byteCount: byteCount, contentType: type)
    }
  }

  /// Whether a password decrypts, and whether the result still has something around it that an app should not send.
  private func finding(about password: ParameterValue) -> String {
    let keys = application.passwords.keys
    guard let text = try? PasswordText(password),
      let plain = keys.lazy.compactMap({ $0.decrypt(text) }).first
    else { return "decrypts: no" }
    return switch keys.lazy.compactMap({ $0.wrapper(of: plain) }).first {
    case .encryption?: "decrypts: yes, twice"
    case .iv?: "decrypts: yes, after an IV"
    case nil: "decrypts: yes"
    }
  }

  private static func isPassword(_ name: String) -> Bool { name.lowercased().contains("pass") }

  /// By a name in the API and in other backends of its clients: password, new_password, api_authtoken, … The time in
  /// authtoken_expiry is no secret.
  private static func isSecret(_ name: String) -> Bool {
    !name.hasSuffix("_expiry")
      && (isPassword(name)
        || ["token", "secret", "api_key", "api-key", "apikey"].contains(where: name.lowercased().contains))
  }
}
