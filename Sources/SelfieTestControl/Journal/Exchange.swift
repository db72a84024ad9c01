/// A request to the API and its response, as recorded in the journal. Secrets are masked.
public struct Exchange: Sendable, Equatable, Identifiable {
  /// Counts up from 1 in each world, in the order of the responses.
  public internal(set) var id: Int64 = 0
  /// When the request began, by its world's clock, in unix milliseconds.
  public let time: Int64
  /// How long the response took, in real time.
  public let duration: Duration
  /// The address of the client.
  public let peer: String

  public let method: String
  /// As it was sent, not decoded, without the query. A long path is cut off after 1024 bytes and ends in `…`.
  public let path: String
  public let query: [String: RecordedValue]
  /// Why the query could not be read.
  public let queryProblem: String?
  /// The header fields in the order in which they were sent.
  public let fields: [RecordedField]
  public let body: RecordedBody

  /// Nil when a fault dropped the connection before the response.
  public let status: Int?
  /// The response's field `X-Error`, which distinguishes errors of the same status: `expired_token`.
  public let error: String?
  /// The member `message` of the response.
  public let message: String?
  /// The id of the fault rule that fired, if one did.
  public let fault: FaultRules.ID?
  /// What the request's token was; nil if it had none.
  public internal(set) var token: RecordedToken?

  /// A parameter of the query, or else of the body, if it is a string, a number or a boolean. A path such as `user.name`
  /// or `image.byte_count` leads into a parameter.
  public subscript(parameter: String) -> String? {
    value(parameter)?.text
  }

  /// A parameter of the query, or else of the body.
  public func value(_ parameter: String) -> RecordedValue? {
    RecordedValue.find(parameter[...], in: query) ?? RecordedValue.find(parameter[...], in: body.parameters)
  }

  /// A file of a multipart body by the name of its part.
  public func file(_ name: String) -> RecordedFile? {
    guard case .file(let file)? = value(name) else { return nil }
    return file
  }

  /// The value of a header field, whose name is compared without regard to case. The values of several fields are joined
  /// with commas (RFC 9110 §5.2).
  public func field(_ name: String) -> String? {
    let name = name.lowercased()
    let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// About how many bytes of memory the exchange takes.
  var weight: Int {
    fields.reduce(512 + path.utf8.count) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
      + RecordedValue.weight(of: query) + RecordedValue.weight(of: body.parameters) + (message?.utf8.count ?? 0)
  }
}

/// A header field of a request.
public struct RecordedField: Sendable, Equatable {
  public let name: String
  public let value: String
}

/// The body of a request as recorded in the journal.
public struct RecordedBody: Sendable, Equatable {
  /// The parameters of a JSON, form or multipart body.
  public let parameters: [String: RecordedValue]
  /// How many bytes of the body the application read.
  public let byteCount: Int
  /// Whether the application read the whole body; true without a body.
  public let isComplete: Bool
  /// Why parameters of the body are missing.
  public let problem: String?

  static let none = RecordedBody(parameters: [:], byteCount: 0, isComplete: true, problem: nil)
}

extension Exchange: CustomStringConvertible {
  /// `#3 POST /api/signup -> 400 "email - is invalid,"`.
  public var description: String {
    "#\(id) \(method) \(path) -> " + (status.map { "\($0)" } ?? "no response") + (message.map { " \"\($0)\"" } ?? "")
      + (fault.map { " (fault \($0))" } ?? "")
  }
}
