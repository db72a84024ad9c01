/// A parameter that a route asks for. `Call` checks that a request has it, and Routes.swift lists those of each route.
struct RouteParameter: Sendable {
  enum Kind: String {
    case text, file, object
    case encrypted = "encrypted text"
  }

  let kind: Kind
  let name: String
  /// Whether a request without it is refused as one that lacks parameters.
  let isRequired: Bool

  static func text(_ name: String, isRequired: Bool = true) -> RouteParameter {
    RouteParameter(kind: .text, name: name, isRequired: isRequired)
  }

  /// A password, as the app encrypts it.
  static func encrypted(_ name: String, isRequired: Bool = true) -> RouteParameter {
    RouteParameter(kind: .encrypted, name: name, isRequired: isRequired)
  }

  static func file(_ name: String) -> RouteParameter { RouteParameter(kind: .file, name: name, isRequired: true) }

  /// An object that the endpoint requires in words of its own.
  static func object(_ name: String) -> RouteParameter { RouteParameter(kind: .object, name: name, isRequired: false) }
}
