/// A request method (RFC 9110 §9). Names are case-sensitive. `Call` in SelfieAPI reads the `_method` of a form.
package enum Method: String, Sendable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  case options = "OPTIONS"
  case trace = "TRACE"
  case connect = "CONNECT"
  /// A method that this server does not know.
  case other = "OTHER"

  /// Its name; `OTHER` for one that this server does not know.
  package var name: String { rawValue }

  /// The method of this name; `other` when it is none of those above.
  package init(_ name: String) { self = Method(rawValue: name) ?? .other }
}
