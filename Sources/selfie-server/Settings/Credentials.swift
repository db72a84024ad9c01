import Cryptography
import SelfieControl

/// The name and password with which apps authenticate to the API.
struct Credentials {
  let name: String
  let password: String

  /// The same for every ephemeral server, so that tests know them.
  static let forTests = Credentials(name: TestCredentials.name, password: TestCredentials.password)

  /// New credentials that nobody can guess.
  static func random() -> Credentials {
    Credentials(name: RandomSource.system.lettersAndDigits(16), password: RandomSource.system.lettersAndDigits(64))
  }
}
