/// What a client asks of a server.
public struct ClientRequest: Sendable {
  public enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case delete = "DELETE"
  }

  public let method: Method
  /// Percent-encoded. It is sent as it is.
  public let url: String
  /// Their values must have no control characters.
  public let fields: [(name: String, value: String)]
  /// Of a PUT only.
  public let content: RequestContent
  /// A longer body of a successful response is an error.
  public let maxBodyBytes: Int

  public init(
    method: Method, url: String, fields: [(name: String, value: String)] = [], content: RequestContent = .none,
    maxBodyBytes: Int = 0
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.content = content
    self.maxBodyBytes = maxBodyBytes
  }

  /// The fields as libcurl takes them; nil if one could end its line.
  var lines: [String]? {
    // libcurl would wait for `100 Continue` for a second, which some servers never send.
    let lines = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" } + ["Expect:"]
    let isAllowed = lines.allSatisfy { line in line.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } }
    return isAllowed ? lines : nil
  }

  /// How many bytes it may move in either direction.
  var maxTransferBytes: Int64 { max(content.byteCount, Int64(maxBodyBytes)) }
}
