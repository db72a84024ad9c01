import Foundation
import FoundationNetworking

extension URLRequest {
  /// - Parameters:
  ///   - json: the body.
  ///   - form: as apps encode it: the query of a GET or DELETE, otherwise the body.
  init(
    _ method: String, _ address: String, json: String? = nil, form: [(String, String)] = [],
    fields: [String: String] = [:]
  ) throws {
    let encoded = form.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
    let isInQuery = ["GET", "DELETE"].contains(method) && !form.isEmpty
    guard let url = URL(string: address + (isInQuery ? "?\(encoded)" : "")) else { throw URLError(.badURL) }
    self.init(url: url)
    httpMethod = method
    if let json {
      setValue("application/json", forHTTPHeaderField: "Content-Type")
      httpBody = Data(json.utf8)
    } else if !isInQuery && !form.isEmpty {
      setValue("application/x-www-form-urlencoded; charset=utf-8", forHTTPHeaderField: "Content-Type")
      httpBody = Data(encoded.utf8)
    }
    for (name, value) in fields { setValue(value, forHTTPHeaderField: name) }
  }

  /// As `AFPercentEscapedQueryStringPairMemberFromStringWithEncoding`.
  private static func escaped(_ text: String) -> String {
    let plain = CharacterSet.alphanumerics.intersection(CharacterSet(charactersIn: "\0"..."\u{7f}"))
    return text.addingPercentEncoding(withAllowedCharacters: plain.union(CharacterSet(charactersIn: "-._~[]"))) ?? ""
  }
}
