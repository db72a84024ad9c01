/// The response that `HTTPClient` returns. ObjectResponse.swift interprets it.
struct ClientResponse: Sendable {
  var status = 0
  /// With names in lower case.
  var fields: [(name: String, value: String)] = []
  /// Of a response that is not successful it is no more than the beginning.
  var body: [UInt8] = []
  /// Whether the request was sent more than once, as after a connection that ended without a response. The server may do
  /// what it was asked for more than once, and the first time after the last.
  var wasResent = false

  var isSuccessful: Bool { (200..<300).contains(status) }

  /// The value of the first field of a name, which is in lower case.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
