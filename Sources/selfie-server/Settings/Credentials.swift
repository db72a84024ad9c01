import Cryptography
import SelfieControl

/// A name and a password for HTTP Basic: those of the API, which apps send, or those of the control interface.
struct Credentials {
  let name: String
  let password: String

  /// The server warns of a shorter password. One of letters and digits has 95 bits then.
  static let minPasswordBytes = 16

  /// Whether somebody may guess the password.
  var isShort: Bool { password.utf8.count < Self.minPasswordBytes }

  /// Those of the API of every ephemeral server, so that tests know them.
  static let forTests = Credentials(name: TestCredentials.name, password: TestCredentials.password)

  /// New credentials that nobody can guess.
  static func random() -> Credentials {
    Credentials(name: RandomSource.system.lettersAndDigits(16), password: RandomSource.system.lettersAndDigits(64))
  }
}
