/// What a server responded.
public struct ClientResponse: Sendable {
  public let status: Int
  /// With names in lower case.
  public let fields: [(name: String, value: String)]
  /// Of a response that is not successful it is no more than the beginning.
  public let body: [UInt8]
  /// Whether the request was sent twice, since the first connection ended without a response. The server may do what it
  /// was asked for twice, and the first time after the second.
  public let wasResent: Bool

  package init(status: Int, fields: [(name: String, value: String)], body: [UInt8], wasResent: Bool = false) {
    self.status = status
    self.fields = fields
    self.body = body
    self.wasResent = wasResent
  }

  public var isSuccessful: Bool { (200..<300).contains(status) }

  /// The value of the first field of a name, which is in lower case.
  public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
