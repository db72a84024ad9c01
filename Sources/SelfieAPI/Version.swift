// The version of the program. `BackupDescription` in SelfieOperations has that of the backups' format, and `Migrations` in
// SQL the steps of the schema.
extension Application {
  /// The version of the server. CHANGELOG.md and Docs/openapi.yaml name the same one.
  package static let version = "0.3.0"
}
