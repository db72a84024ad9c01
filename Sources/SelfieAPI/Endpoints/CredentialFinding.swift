import Cryptography
import HTTPMessages
import Platform

// Describes wrong credentials. MissingParameters.swift describes missing parameters, and ErrorDetail.swift has the
// field.
extension Request {
  /// Says what is wrong with the credentials of a request that was refused for them:
  /// `Authorization is Basic; GET /api/get_photos needs Token token=<api_authtoken>`.
  ///
  /// - Parameter needed: begins with the scheme.
  func finding(aboutCredentials needed: String, for route: String) -> String {
    "\(credentialFinding(isBasicNeeded: needed.hasPrefix("Basic"))); \(route) needs \(needed)"
  }

  private func credentialFinding(isBasicNeeded: Bool) -> String {
    guard let field = head.fields[.authorization] else { return findingWithoutField }
    guard head.fields.count(of: .authorization) == 1 else { return "Authorization was sent more than once" }
    // A longer word is no scheme's name.
    let word = String(decoding: field.prefix(Self.maxSchemeLetters).prefix(while: \.isASCIILetter), as: UTF8.self)
    guard let scheme = ["Basic", "Token", "Bearer"].first(where: { $0.lowercased() == word.lowercased() }) else {
      // A text without a space is the secret itself.
      let isScheme =
        word.utf8.count < Self.maxSchemeLetters && field.dropFirst(word.utf8.count).first == UInt8(ascii: " ")
      if isScheme { return "Authorization is \(word)" }
      return field.first.map { "\"'".utf8.contains($0) } ?? false
        ? "Authorization begins with a quotation mark" : "Authorization names no scheme"
    }
    if let other = Self.secondScheme(in: field.dropFirst(word.utf8.count)) {
      return "Authorization has \(scheme) and \(other) in one field"
    }
    switch Authorization.parse(field) {
    case nil where field.dropFirst(word.utf8.count).first == UInt8(ascii: ":"):
      return "Authorization has a colon after \(scheme)"
    case nil: return "Authorization has no space and no credentials after \(scheme)"
    case .basic(let encoded)? where isBasicNeeded && encoded.count > BasicCredentials.maxEncodedBytes:
      return "what follows Basic is \(encoded.count) letters long; a name and a password have at most "
        + "\(BasicCredentials.maxEncodedBytes)"
    case .basic(let encoded)? where isBasicNeeded && encoded.prefix(Self.maxShownPair).contains(where: Self.isOfURLs):
      return
        "what follows Basic contains - or _, so it is URL-safe Base64; expected the standard alphabet, with + and /"
    case .basic(let encoded)? where isBasicNeeded && encoded.contains(UInt8(ascii: "%")):
      return "what follows Basic contains %, which Base64 never does: it was percent-encoded"
    case .basic(let encoded)? where isBasicNeeded: return Self.finding(aboutPair: Base64.decodeLeniently(encoded))
    case .token(let token)? where !isBasicNeeded:
      // A pair without a value is read as its name.
      if token.isEmpty || token.elementsEqual("token".utf8) { return "the token is empty" }
      if let finding = Self.finding(aboutPlaceholder: "token", token) { return finding }
      if let other = token.first(where: { !$0.isASCIIAlphanumeric }) {
        let isShown = (0x21...0x7e).contains(other)
        return "the token contains "
          + (isShown
            ? "\(Character(Unicode.Scalar(other))), which tokens never have" : "a character that tokens never have")
      }
      let finding = "the token is unknown here, or was ended by a sign-out or a new password"
      return Token.isOfUsualLength(token) ? finding : "\(finding); it has \(token.count) letters, not \(Token.length)"
    default: return "Authorization is \(scheme)"
    }
  }

  /// Where the credentials may be instead.
  private var findingWithoutField: String {
    if let name = head.fields.misspelling(of: "Authorization") { return "no Authorization; the request has \(name)" }
    let query = head.query?.prefix(Self.maxShownPair) ?? []
    // In an API of Rails, all of them can be parameters.
    let names = query.split(separator: UInt8(ascii: "&")).map { $0.prefix { $0 != UInt8(ascii: "=") } }
    let isInQuery = names.contains { $0.hasSuffixIgnoringCase("token") }
    if isInQuery { return "no Authorization; a token in the query is not read" }
    let other = head.fields.pairs.first {
      $0.name.count < 24 && ($0.name.hasSuffixIgnoringCase("token") || $0.name.hasSuffixIgnoringCase("authorization"))
    }
    return other.map { "no Authorization; the request has \(String(decoding: $0.name, as: UTF8.self))" }
      ?? "no Authorization"
  }

  private static var maxSchemeLetters: Int { 12 }
  /// Credentials are shorter.
  private static var maxShownPair: Int { 1024 }

  /// The two characters of Base64's alphabet for URLs that the standard one lacks (RFC 4648 §5).
  private static func isOfURLs(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") }

  /// A scheme that follows other credentials, after a comma or white space.
  private static func secondScheme(in credentials: ArraySlice<UInt8>) -> String? {
    let words = credentials.prefix(maxShownPair).split { $0.isASCIISpace || $0 == UInt8(ascii: ",") }
    // The first ones are the credentials, and the last one would have none after it.
    guard let index = words.indices.dropFirst().dropLast().first(where: { schemeName(words[$0]) != nil }) else {
      return nil
    }
    return schemeName(words[index])
  }

  private static func schemeName(_ word: ArraySlice<UInt8>) -> String? {
    if word.equalsIgnoringCase("basic") { return "Basic" }
    if word.equalsIgnoringCase("bearer") { return "Bearer" }
    return word.equalsIgnoringCase("token") ? "Token" : nil
  }

  private static func finding(aboutPair pair: [UInt8]) -> String {
    guard let colon = pair.firstIndex(of: UInt8(ascii: ":")) else {
      let isTwice = Base64.decodeLeniently(pair[...]).contains(UInt8(ascii: ":"))
      if isTwice { return "what follows Basic was encoded twice; expected the Base64 of name:password" }
      let isText = !pair.isEmpty && pair.allSatisfy { (0x20...0x7e).contains($0) }
      return isText
        ? "what follows Basic is the Base64 of a text without a colon; expected that of name:password"
        : "what follows Basic is not the Base64 of name:password"
    }
    if let finding = finding(aboutPlaceholder: "name", pair) { return finding }
    if colon == 0 { return pair.count == 1 ? "the name and the password are empty" : "the name is empty" }
    if colon == pair.count - 1 { return "the password is empty" }
    if pair.contains(0) { return "what follows Basic is the Base64 of UTF-16; expected that of UTF-8" }
    if pair.last?.isASCIISpace == true { return "the password ends with white space or a line break" }
    let hasEmail = pair[..<colon].contains(UInt8(ascii: "@"))
    return hasEmail
      ? "the name, which is an email address, or the password is wrong" : "the name or the password is wrong"
  }

  private static func finding(aboutPlaceholder name: String, _ text: some Sequence<UInt8>) -> String? {
    placeholders.first { text.starts(with: $0.utf8) }
      .map { "the \(name) begins with \"\($0)\": the app sent this instead of the \(name)" }
  }

  /// What Swift, Objective-C, JavaScript and Kotlin print for nothing, or for a value that was not unwrapped; and what
  /// stands in instructions.
  private static let placeholders = ["Optional(", "(null)", "<", "nil", "null", "undefined", "{{", "${", "API_AUTH_"]
}
