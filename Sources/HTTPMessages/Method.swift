/// A request method (RFC 9110 §9). Names are case-sensitive.
public enum Method: Sendable, Equatable {
  case get, head, post, put, patch, delete, options, trace, connect
  /// A method that this server does not know.
  case other

  /// Its name; `OTHER` for one that this server does not know.
  public var name: StaticString {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .patch: "PATCH"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .trace: "TRACE"
    case .connect: "CONNECT"
    case .other: "OTHER"
    }
  }

  /// The method of this name; `other` when it is none of those above.
  public init(_ name: String) {
    switch name {
    case "GET": self = .get
    case "HEAD": self = .head
    case "POST": self = .post
    case "PUT": self = .put
    case "PATCH": self = .patch
    case "DELETE": self = .delete
    case "OPTIONS": self = .options
    case "TRACE": self = .trace
    case "CONNECT": self = .connect
    default: self = .other
    }
  }
}
