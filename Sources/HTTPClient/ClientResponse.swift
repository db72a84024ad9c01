/// What a server responded.
public struct ClientResponse: Sendable {
  public let status: Int
  /// With names in lower case.
  public let fields: [(name: String, value: String)]
  /// Of a response that is not successful it is no more than the beginning.
  public let body: [UInt8]

  package init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  public var isSuccessful: Bool { (200..<300).contains(status) }

  /// The value of the first field of a name, which is in lower case.
  public subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}
