import HTTPMessages
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
  private let credentials: BasicCredentials?
  /// Nil if the owner has switched the limit off.
  private let guesses: GuessLimit?

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

  /// Throws unless the client is a program on the machine of an ephemeral server, or sends the right credentials.
  ///
  /// Pages of other sites are refused even with credentials: a browser sends the credentials in a URL that a page links
  /// to.
  func check(_ request: Request) throws(ControlError) {
    guard !request.isFromForeignPage else { throw .foreignPage }
    if isEphemeral && request.isLocal { return }
    guard let credentials, case .basic(let encoded)? = request.head.fields[.authorization].flatMap(Authorization.parse)
    else { throw .denied }
    guard let guesses else {
      guard credentials.match(encoded) else { throw .denied }
      return
    }
    switch guesses.attempt({ credentials.match(encoded) }) {
    case .right: return
    case .wrong: throw .denied
    case .refused(let wait): throw .tooManyGuesses(wait: wait)
    }
  }
}

extension Worlds {
  /// Whether a request to the API may make the world that it names. A world takes memory and a thread, so on a server
  /// that keeps data only the control interface makes worlds.
  func mayMakeWorld(_ request: Request) -> Bool {
    guard access.isEphemeral, !request.isFromForeignPage else { return false }
    return request.isLocal || (try? main.application.authentication.requireBasic(request)) != nil
  }
}
