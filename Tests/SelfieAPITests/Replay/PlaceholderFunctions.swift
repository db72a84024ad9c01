import Cryptography
import Foundation

/// What `${…}` stands for.
struct PlaceholderFunctions {
  /// Ten digits that set a run apart from others on the same database.
  let run: String
  let authName: String
  let authPassword: String

  private var cipher: AESCrypt { AESCrypt(password: Array(authPassword.utf8)) }

  /// `${name}`; nil for a name that stands for nothing.
  func value(_ name: String) -> String? {
    let basic = Base64.encode(Array("\(authName):\(authPassword)".utf8))
    switch name {
    case "run": return run
    case "api_user": return authName
    case "api_password": return authPassword
    case "basic": return basic
    case "basic_unpadded": return Self.unpadded(basic)
    // It begins with dashes itself, which a parser may stumble over.
    case "boundary": return "---------------------------14737809831466499882746641449"
    case "encplus": return firstCiphertext(by: cipher) { $0.prefix(20).contains("+") }
    case "urlsafe":
      return firstCiphertext(by: cipher) { $0.prefix(20).contains { "+/".contains($0) } }?
        .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    default: return nil
    }
  }

  /// `${name:argument}`; nil for a name that stands for nothing.
  func apply(_ name: String, to argument: [UInt8]) -> String? {
    let text = String(decoding: argument, as: UTF8.self)
    switch name {
    case "enc": return cipher.encrypt(argument)
    case "enchex": return cipher.encrypt(Placeholders.hex(text))
    case "enc64": return Self.encode64(cipher.encrypt(argument))
    case "split":
      let whole = cipher.encrypt(argument)
      return "\(whole.prefix(7))\n\(whole.dropFirst(7).prefix(6))\r\n \(whole.dropFirst(13))"
    case "unpadded": return Self.unpadded(cipher.encrypt(argument))
    case "half":
      let block = Base64.decodeLeniently(cipher.encrypt(argument).utf8)
      return Base64.encode(block + [UInt8](repeating: 0, count: 8))
    case "badkey":
      let other = AESCrypt(password: Array("another key".utf8))
      return firstCiphertext(by: other) { cipher.decrypt(Array($0.utf8)) == nil }
    case "b64": return Base64.encode(argument)
    case "q":
      return text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._~")))
    case "json":
      let string = try? JSONSerialization.data(
        withJSONObject: text, options: [.fragmentsAllowed, .withoutEscapingSlashes])
      return string.map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
    case "prefix": return String(text.dropLast())
    case "swapcase":
      return String(text.map { $0.isLowercase ? Character($0.uppercased()) : Character($0.lowercased()) })
    case "unquoted": return text.filter { $0 != "\"" }
    default: return nil
    }
  }

  private static func unpadded(_ base64: String) -> String {
    String(base64.reversed().drop { $0 == "=" }.reversed())
  }

  /// Lines of 60, as Ruby's `Base64.encode64` makes them.
  private static func encode64(_ base64: String) -> String {
    var rest = base64[...]
    var lines = ""
    while !rest.isEmpty {
      lines += rest.prefix(60) + "\n"
      rest = rest.dropFirst(60)
    }
    return lines
  }

  /// The first of secret10, secret11 and so on whose ciphertext is as wanted.
  private func firstCiphertext(by cipher: AESCrypt, where isWanted: (String) -> Bool) -> String? {
    (10..<10_000).lazy.map { cipher.encrypt(Array("secret\($0)".utf8)) }.first(where: isWanted)
  }
}
