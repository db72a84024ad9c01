extension Application {
  /// The version of the server. CHANGELOG.md and Docs/openapi.yaml name the same one.
  package static let version = "0.3.0"
}
