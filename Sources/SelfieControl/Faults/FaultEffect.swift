extension FaultRule {
  /// What becomes of a request.
  public enum Effect: Sendable, Equatable {
    /// The right answer; for rules that only delay it.
    case none
    /// Another answer. The request has no effect.
    case answer(Answer)
    /// The connection is lost.
    case drop(Moment)
    /// The right answer, its body in pieces of so many bytes with a pause after each.
    case drip(bytes: Int, pause: Duration)
    /// The beginning of the right answer.
    case truncate(Cut)
    /// The right answer, made wrong.
    case malform(Malformation)
  }

  /// An answer that a rule gives.
  public struct Answer: Sendable, Equatable {
    /// 200...599.
    public var status: Int
    public var content: Content
    /// Header fields. Those that the server itself writes, such as Content-Length, cannot be given.
    public var fields: [String: String]

    public init(status: Int, content: Content, fields: [String: String] = [:]) {
      self.status = status
      self.content = content
      self.fields = fields
    }
  }

  /// The body of an answer.
  public enum Content: Sendable, Equatable {
    /// `{"status":N,"message":"…"}`, as the API's errors are.
    case message(String)
    case json([UInt8])
    /// As `text/plain; charset=utf-8`, unless the answer has a field `Content-Type`.
    case text(String)
  }

  /// When a connection is lost.
  public enum Moment: String, Sendable, CaseIterable {
    /// By a reset, without an answer; the request has no effect.
    case beforeHandling = "before_handling"
    /// By a reset, without an answer; the request has its effect.
    case beforeAnswer = "before_answer"
    /// After half of the answer's body; the request has its effect.
    case inBody = "in_body"
  }

  /// Where an answer's body ends too early.
  public enum Cut: Sendable, Equatable {
    /// After so many bytes; an answer that has no more is whole.
    case bytes(Int)
    /// After this part of it, 0...1.
    case share(Double)
  }

  /// What is wrong with an answer. After all of these but a broken body, the connection ends.
  public enum Malformation: String, Sendable, CaseIterable {
    /// A first line that is none.
    case statusLine = "status_line"
    /// A line among the header fields that is none.
    case fieldLine = "field_line"
    /// A Content-Length that is a byte too small, so that the body lacks its last byte.
    case contentLength = "content_length"
    /// A Content-Length that is not a number.
    case lengthText = "length_text"
    /// A chunk whose size is not a number, after one with the whole body.
    case chunk
    /// A body without its last byte, such as JSON without its last bracket; its length is right.
    case body
  }
}
