import Cryptography
import Platform
import SelfieAPI
import SelfieOperations
import SelfieTestDocuments

/// A name and a password for HTTP Basic: those of the API, which apps send, or those of the control interface.
/// `APIKey` keeps those of the API, and `BasicCredentials` in SelfieAPI compares them with those of a request.
struct Credentials: Equatable {
  let name: String
  let password: String

  /// A password of letters and digits of this length has 95 bits.
  private static let minPasswordBytes = 16
  /// A repeated word or pattern has fewer. Of random passwords of sixteen letters and digits, one in millions has so few.
  private static let minDifferentCharacters = 8
  /// They have 66 bits.
  private static let minDigits = 20

  /// The reason why the password can be guessed; nil if it cannot.
  var weakness: String? {
    if password == TestCredentials.password { return "is the public one of test servers" }
    if password.utf8.count < Self.minPasswordBytes { return "is shorter than \(Self.minPasswordBytes) bytes" }
    if Set(password.utf8).count < Self.minDifferentCharacters {
      return "has fewer than \(Self.minDifferentCharacters) different characters"
    }
    if password.utf8.count < Self.minDigits, password.utf8.allSatisfy(\.isASCIIDigit) {
      return "has only digits, and fewer than \(Self.minDigits)"
    }
    return nil
  }

  /// The message of a server that does not start with such a password.
  ///
  /// - Parameter name: where the password is set.
  static func refusal(of name: String, because weakness: String) -> String {
    """
    \(name) \(weakness), so it can be guessed. It is also the key with which apps encrypt users' passwords: anyone who \
    has recorded a request can try keys offline. Set a long random password, or remove both name and password, and the \
    server generates them. To keep apps with the old password working, set it as API_AUTH_PASSWORD_PREVIOUS.
    """
  }

  /// Those of the API of every ephemeral server, so that tests know them.
  static let forTests = Credentials(name: TestCredentials.name, password: TestCredentials.password)

  /// New credentials that cannot be guessed.
  static func random() -> Credentials {
    Credentials(name: RandomSource.system.lettersAndDigits(16), password: RandomSource.system.lettersAndDigits(64))
  }
}

extension Credentials {
  /// Nil unless both are there.
  init?(_ name: String?, _ password: String?) {
    guard let name, let password else { return nil }
    self.init(name: name, password: password)
  }
}

/// The name and the password that apps send, and where they come from.
struct APIKey {
  let credentials: Credentials
  /// Whether they were made at this start.
  let isNew: Bool
  /// The file in which they are kept; nil if the owner has set them.
  let file: String?

  init(_ settings: Settings, storage: String) throws(ConfigurationError) {
    let (chosen, path) = (settings.credentials, StorageLayout(folder: storage).credentials)
    let known = if let chosen { chosen } else { try Self.stored(in: storage) }
    if chosen == nil, let weakness = known?.weakness {
      throw ConfigurationError(Credentials.refusal(of: "API_AUTH_PASSWORD in \(path)", because: weakness))
    }
    credentials = known ?? .random()
    isNew = known == nil
    file = chosen == nil ? path : nil
  }

  /// The API's name and password in the storage folder, if the server has made them itself; nil before the first start.
  static func stored(in storage: String) throws(ConfigurationError) -> Credentials? {
    let path = StorageLayout(folder: storage).credentials
    let file = EnvironmentFile(path: path)
    guard file.problems.isEmpty else { throw ConfigurationError(problems: file.problems) }
    let credentials = Credentials(file["API_AUTH_NAME"], file["API_AUTH_PASSWORD"])
    guard credentials != nil || !file.exists else {
      throw ConfigurationError(
        """
        \(path) does not contain both API_AUTH_NAME and API_AUTH_PASSWORD, so apps could not sign in. Put the file of a \
        backup in its place, or set both to those in your app.
        """)
    }
    return credentials
  }

  /// Keeps new credentials.
  ///
  /// - Parameter replacesLost: whether apps have other ones.
  func save(replacesLost: Bool) throws(ConfigurationError) {
    guard isNew, let file else { return }
    let text = CredentialsFile.text(
      name: credentials.name, password: credentials.password, replacesLost: replacesLost)
    do {
      try FileSystem.replace(file, with: Array(text.utf8))
    } catch {
      throw ConfigurationError("\(file) cannot be written: \(error.reason).")
    }
  }
}
