/// The one spelling of a request that its sender and its receiver sign.
///
/// Its header fields have different names, and values without white space at their ends or twice in a row.
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
    let headers = headers.map { (name: $0.name.lowercased(), value: $0.value) }.sorted { $0.name < $1.name }
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
}
