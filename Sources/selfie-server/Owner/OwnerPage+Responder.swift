import HTTPServer
import SelfieOperations

extension OwnerPage {
  /// A responder that serves the page, and leaves everything else to another one.
  func before(_ other: Responder) -> Responder {
    Responder(
      respond: { request in await respond(to: request, else: other.respond) },
      refuse: other.refuse, endOfTurn: other.endOfTurn, responseSent: other.responseSent)
  }
}
