import Platform

/// The one spelling of a request that its sender and its receiver sign.
struct CanonicalRequest {
  let text: String
  let query: String
  /// The names of the header fields, in the order of the signature.
  let signedHeaders: String

  init(
    method: String, path: String, query: [(name: String, value: String)], headers: [(name: String, value: String)],
    payload: String
  ) {
    self.query = Self.canonicalQuery(query)
    let headers = Self.canonicalHeaders(headers)
    signedHeaders = headers.map(\.name).joined(separator: ";")
    let lines = headers.map { "\($0.name):\($0.value)\n" }.joined()
    text = "\(method)\n\(path)\n\(self.query)\n\(lines)\n\(signedHeaders)\n\(payload)"
  }

  /// Pairs are sorted after they are encoded: `%` comes before all letters and digits.
  private static func canonicalQuery(_ pairs: [(name: String, value: String)]) -> String {
    pairs.map { (URIEncoding.encode($0.name), URIEncoding.encode($0.value)) }
      .sorted { $0 < $1 }
      .map { "\($0)=\($1)" }
      .joined(separator: "&")
  }

  /// Values of the same name become one, with commas.
  private static func canonicalHeaders(
    _ headers: [(name: String, value: String)]
  ) -> [(name: String, value: String)] {
    var values: [String: [String]] = [:]
    for header in headers { values[header.name.lowercased(), default: []].append(trimmed(header.value)) }
    return values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value.joined(separator: ",")) }
  }

  /// Without white space at the ends, and with one space for any within.
  private static func trimmed(_ value: String) -> String {
    value.utf8.split(whereSeparator: \.isASCIISpace).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
  }
}
