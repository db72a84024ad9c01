import Platform
import SelfieAPI

/// Who may use the control interface, and which files of the machine it may read.
public struct ControlAccess: Sendable {
  /// Whether the server keeps nothing, so that programs on its machine need no credentials.
  ///
  /// A server that keeps data always asks for credentials: a proxy on its machine need not say that it has forwarded a
  /// request, which then looks like one of a program on the machine.
  let isEphemeral: Bool
  let seedFolder: SeedFolder?
  /// Nil if no credentials help.
  let credentials: BasicCredentials?
  /// Nil if the owner has switched the limit off.
  let guesses: GuessLimit?

  /// - Parameters:
  ///   - name: the name of HTTP Basic, with its password. The API has other ones, which are in every copy of the app.
  ///   - limitsGuesses: whether to refuse further guesses after some wrong ones.
  ///   - clock: a time in milliseconds that never goes back; the system's if nil.
  public init(
    isEphemeral: Bool, name: String, password: String, limitsGuesses: Bool = true, seedFolder: SeedFolder? = nil,
    clock: (@Sendable () -> Int64)? = nil
  ) {
    self.isEphemeral = isEphemeral
    self.seedFolder = seedFolder
    credentials = BasicCredentials(name: name, password: password)
    guesses = limitsGuesses ? GuessLimit(clock: clock ?? monotonicMilliseconds) : nil
  }

  /// For a server in the process of a test, which only programs on its machine can reach.
  public static let inProcess = ControlAccess()

  private init() {
    (isEphemeral, seedFolder, credentials, guesses) = (true, nil, nil, nil)
  }
}
