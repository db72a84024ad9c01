import HTTPMessages
import SelfieAPI

extension Worlds {
  /// Whether a request to the API may make the world that it names. A world takes memory and a thread, so on a server
  /// that keeps data only the control interface makes worlds.
  func mayMakeWorld(_ request: Request) -> Bool {
    guard access.isEphemeral, !request.isFromForeignPage(of: main.application.settings.publicURL) else { return false }
    if request.isLocal { return true }
    return (try? main.application.requireAPIPassword(request)) != nil
  }

  static let unknownWorld = """
    There is no world of the name in X-Test-World. A request to the control interface that names it makes it. On a \
    server that keeps nothing, a request to the API does so too, if it comes from a program on the server's own machine \
    or has the API's name and password by HTTP Basic.
    """
}
