/// The values that an app has as constants, as the owner's page and `constants` show them.
package struct AppConstants: Codable, Sendable {
  package let authName: String
  package let authPassword: String
  /// Nil if PUBLIC_URL is not set.
  package let publicURL: String?
  /// Where clients reach the server; nil if it does not run.
  package let clientURL: String?

  private enum CodingKeys: String, CodingKey {
    case authName = "api_auth_name"
    case authPassword = "api_auth_password"
    case publicURL = "public_url"
    case clientURL = "client_url"
  }
}
