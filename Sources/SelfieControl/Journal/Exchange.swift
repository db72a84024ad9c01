/// A request to the API and its answer, as the journal has recorded them. Nothing secret is in it.
public struct Exchange: Sendable, Equatable, Identifiable {
  /// Counts up from 1 in each world, in the order of the answers.
  public internal(set) var id: Int64 = 0
  /// When the request came, by its world's clock, in unix milliseconds.
  public let time: Int64
  /// How long the answer took, in real time.
  public let duration: Duration
  /// The address of the client.
  public let peer: String

  public let method: String
  /// As it came, not decoded, without the query; of a long one the first 1024 bytes and `…`.
  public let path: String
  public let query: [String: RecordedValue]
  /// Why there are no parameters of a query.
  public let queryProblem: String?
  /// The header fields in the order in which they came.
  public let fields: [RecordedField]
  public let body: RecordedBody

  /// Nil where a fault has dropped the connection, so that there was no answer.
  public let status: Int?
  /// Which of the answers of its status it is, as the field `X-Error` names it: `expired_token`.
  public let error: String?
  /// What the answer says to people: its member `message`.
  public let message: String?
  /// The fault that was put into the answer, if it was: the id of its rule in ``World/faults``.
  public let fault: FaultRules.ID?

  /// A parameter by its name, of the query or, if that has none, of the body, where it is one text, number or boolean.
  /// A way such as `user.name` or `image.byte_count` leads into a parameter.
  public subscript(parameter: String) -> String? {
    value(parameter)?.text
  }

  /// A parameter by its name, of the query or, if that has none, of the body.
  public func value(_ parameter: String) -> RecordedValue? {
    RecordedValue.find(parameter[...], in: query) ?? RecordedValue.find(parameter[...], in: body.parameters)
  }

  /// A file of a multipart body by its name.
  public func file(_ name: String) -> RecordedFile? {
    guard case .file(let file)? = value(name) else { return nil }
    return file
  }

  /// The value of a header field by its name, in any case; of several they are joined with commas (RFC 9110 §5.2).
  public func field(_ name: String) -> String? {
    let name = name.lowercased()
    let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// About how many bytes of memory it takes.
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

/// What is known of the body of a request.
public struct RecordedBody: Sendable, Equatable {
  /// The parameters of a body of JSON, a form or a multipart.
  public let parameters: [String: RecordedValue]
  /// How many bytes of it the application read.
  public let byteCount: Int
  /// Whether the application read all of it; a body that is not there is read.
  public let isComplete: Bool
  /// Why there are no parameters of a body, or not all of them.
  public let problem: String?

  static let none = RecordedBody(parameters: [:], byteCount: 0, isComplete: true, problem: nil)
}

extension Exchange: CustomStringConvertible {
  /// `#3 POST /api/signup -> 400 "email - is invalid,"`.
  public var description: String {
    "#\(id) \(method) \(path) -> " + (status.map { "\($0)" } ?? "no answer") + (message.map { " \"\($0)\"" } ?? "")
      + (fault.map { " (fault \($0))" } ?? "")
  }
}
