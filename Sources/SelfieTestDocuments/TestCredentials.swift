/// The API's name and password of a server that keeps nothing, unless a test chooses others: always the same, so that a
/// test can know them. They protect nothing. `Credentials` in SelfieServer makes those of other servers.
package enum TestCredentials {
  package static let name = "selfie-tests"
  /// As long as the tutorial asks for.
  package static let password = "0000000000000000selfie0server0ephemeral0password0000000000000000"
}
