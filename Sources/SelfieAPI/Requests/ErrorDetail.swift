import HTTPMessages
import Platform

/// The field `X-Error-Detail` of a refusal: the finding in the request, and what is needed instead, for the person who
/// writes the client. It holds no secret, and nothing about other accounts. CredentialFinding.swift,
/// MissingParameters.swift and Explanation.swift write many of the texts.
extension APIError {
  func detailed(_ detail: String?) -> APIError {
    var error = self
    error.detail = detail ?? error.detail
    return error
  }

  /// - Parameter sent: an address that nobody has, or a value that is not a string.
  func detailed(ofEmail sent: ParameterValue?) -> APIError {
    var email: String?
    if case .string(let text)? = sent { email = text }
    let finding =
      switch email {
      case nil: "the email is \(sent?.kind ?? "missing")"
      case let email? where !email.utf8.contains(UInt8(ascii: "@")): "the email has no @"
      case let email? where email.utf8.first?.isASCIISpace == true || email.utf8.last?.isASCIISpace == true:
        "the email begins or ends with white space"
      case let email? where email.utf8.contains(where: \.isASCIISpace):
        "the email has a space; in a form or a query, write + as %2B"
      case let email? where email.utf8.contains(where: { $0.isASCIILetter && $0 != $0.asciiLowercased }):
        "the email has capitals"
      case _?: "no account has this email"
      }
    return detailed("\(finding); addresses are compared letter by letter")
  }

  /// The detail, or else the message.
  var detailLine: String { (detail ?? message).asDetailLine }
}

extension Request {
  /// Why more of the body was waited for than came; nil for an error of another kind.
  func finding(aboutCutBody error: any Error) -> String? {
    guard let error = error as? BodyError else { return nil }
    let end =
      switch error {
      case .timedOut: "then nothing came"
      case .disconnected: "the connection ended before them"
      case .tooLarge, .malformed, .outOfMemory: String?.none
      }
    guard let end else { return nil }
    return body.length.map { "Content-Length announces \($0) bytes of body, and \(end)" }
      ?? "the last chunk, of size 0, is missing, and \(end); the size before each chunk is in hexadecimal"
  }
}

extension RequestHead {
  /// Of a preflight that the settings do not allow.
  var findingAboutPreflight: String {
    let origin = fields[.origin] ?? []
    let shown = String(printable: Array(origin.prefix(Self.maxShownOrigin)))
    let rest = origin.count > Self.maxShownOrigin ? "..." : ""
    return "CORS_ORIGINS does not allow \(shown)\(rest); add this origin to it, or set it to *"
  }

  /// Bytes of an origin. Few have more, and what is needed must fit into the line, too.
  private static var maxShownOrigin: Int { 64 }
}

extension String {
  /// A line of printable ASCII that fits into a log.
  var asDetailLine: String {
    // Nearly all are one already, and each refusal asks twice.
    if utf8.count <= Self.maxDetailBytes, utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return self }
    var line = ""
    for scalar in unicodeScalars {
      let isPlain = (0x20...0x7e).contains(scalar.value)
      line += isPlain ? String(scalar) : "\\u{\(String(scalar.value, radix: 16))}"
      if line.utf8.count > Self.maxDetailBytes { return line.prefix(Self.maxDetailBytes - 3) + "..." }
    }
    return line
  }

  private static var maxDetailBytes: Int { 300 }

  /// A name that a client has sent, for an error's detail: what is long, or no name at all, may be a secret in the wrong
  /// place.
  var quotedName: String {
    // `Parameters` has only ASCII letters in a name.
    isShownParameter ? "\"\(self)\"" : hiddenName
  }

  /// Whether it can be a parameter's name. Only a short text is looked at.
  var isShownParameter: Bool {
    utf8.count <= Self.maxShownName
      && utf8.allSatisfy { $0.isASCIIAlphanumeric || "_-.[]:".utf8.contains($0) }
  }

  /// A name that is not shown.
  var hiddenName: String { "one with \(counted(utf8.count, "letter"))" }

  /// Shorter than a token or the id of a photo.
  private static var maxShownName: Int { 23 }
}
