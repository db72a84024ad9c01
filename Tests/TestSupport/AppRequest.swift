import Cryptography
import Foundation

/// A request that an app sends.
package struct AppRequest: Sendable {
  package let method: String
  /// A path, and the query if there is one.
  package let target: String
  /// The field Authorization.
  package var authorization: String?
  /// The lines of the other fields.
  package let fields: [String]
  package let body: [UInt8]

  package init(
    _ method: String, _ target: String, as authorization: String? = nil, _ fields: [String] = [], body: [UInt8] = []
  ) {
    (self.method, self.target, self.authorization) = (method, target, authorization)
    (self.fields, self.body) = (fields, body)
  }

  package init(_ method: String, _ target: String, as authorization: String? = nil, json: String) {
    self.init(method, target, as: authorization, ["Content-Type: application/json"], body: Array(json.utf8))
  }

  /// Sends an object as the tutorial's app writes it: without a look at what the texts are made of.
  package init(
    _ method: String, _ target: String, as authorization: String? = nil, _ members: KeyValuePairs<String, String>
  ) {
    let json = members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
    self.init(method, target, as: authorization, json: "{\(json)}")
  }

  /// Sends a form as AFNetworking does: in the query of a GET or DELETE, otherwise in the body.
  package init(_ method: String, _ target: String, as authorization: String, form: KeyValuePairs<String, String>) {
    let encoded = form.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
    if ["GET", "DELETE"].contains(method) {
      self.init(method, "\(target)?\(encoded)", as: authorization)
    } else {
      self.init(
        method, target, as: authorization, ["Content-Type: application/x-www-form-urlencoded; charset=utf-8"],
        body: Array(encoded.utf8))
    }
  }

  /// As `AFPercentEscapedQueryStringPairMemberFromStringWithEncoding`.
  private static func escaped(_ text: String) -> String {
    let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7f}"))
    return text.addingPercentEncoding(withAllowedCharacters: plain.union(CharacterSet(charactersIn: "-._~[]"))) ?? ""
  }

  package static func basic(_ name: String, _ password: String) -> String {
    "Basic " + Base64.encode(Array("\(name):\(password)".utf8))
  }

  package func bytes(host: String) -> [UInt8] {
    let lines =
      ["\(method) \(target) HTTP/1.1", "Host: \(host)"]
      + [authorization.map { "Authorization: \($0)" }].compactMap(\.self)
      + fields + (body.isEmpty ? [] : ["Content-Length: \(body.count)"])
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
  }
}
