extension FaultRule {
  /// What happens to a request.
  public enum Effect: Sendable, Equatable {
    /// The normal response, for rules that only delay it.
    case none
    /// Another response. The request has no effect.
    case stub(StubResponse)
    /// The connection is dropped.
    case drop(Moment)
    /// The body of the normal response in pieces of `bytes` bytes, with a pause after each.
    case drip(bytes: Int, pause: Duration)
    /// The beginning of the normal response.
    case truncate(Cut)
    /// The normal response, malformed.
    case malform(Malformation)
  }

  /// A response that a rule sends in place of the normal one.
  public struct StubResponse: Sendable, Equatable {
    /// 200...599.
    public var status: Int
    public var content: Content
    /// Header fields, except those that the server itself writes, such as Content-Length.
    public var fields: [String: String]

    public init(status: Int, content: Content, fields: [String: String] = [:]) {
      self.status = status
      self.content = content
      self.fields = fields
    }
  }

  /// The body of a response.
  public enum Content: Sendable, Equatable {
    /// `{"status":N,"message":"…"}`, like the API's errors.
    case message(String)
    case json([UInt8])
    /// With the type `text/plain; charset=utf-8`, unless the fields have a `Content-Type`.
    case text(String)
  }

  /// When a connection is dropped.
  public enum Moment: String, Sendable, CaseIterable {
    /// By a reset, before the request is handled. It has no effect.
    case beforeHandling = "before_handling"
    /// By a reset, after the request was handled and before anything is sent.
    case beforeAnswer = "before_answer"
    /// After the request was handled and half of the response's body was sent; if the body is empty, as `beforeAnswer`.
    case inBody = "in_body"
  }

  /// Where a response's body is cut off.
  public enum Cut: Sendable, Equatable {
    /// After this many bytes. A shorter body is sent whole, and the connection is kept.
    case bytes(Int)
    /// After this share of the body, 0...1.
    case share(Double)
  }

  /// How a response is malformed. The connection is closed after each of these but `body`.
  public enum Malformation: String, Sendable, CaseIterable {
    /// A line in place of the status line that is not one.
    case statusLine = "status_line"
    /// A line among the header fields that is not one.
    case fieldLine = "field_line"
    /// A Content-Length that is one byte too small, so that the body lacks its last byte.
    case contentLength = "content_length"
    /// A Content-Length that is not a number.
    case lengthText = "length_text"
    /// A chunk whose size is not a number, after a chunk with the whole body.
    case chunk
    /// A body without its last byte, such as JSON without its last bracket. Its Content-Length is right.
    case body
  }
}
