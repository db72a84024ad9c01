import HTTPMessages
import SelfieAPI

extension ControlAccess {
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
  func mayMakeWorld(_ request: Request) async -> Bool {
    guard access.isEphemeral, !request.isFromForeignPage else { return false }
    if request.isLocal { return true }
    return (try? main.application.requireAPIPassword(request)) != nil
  }
}
