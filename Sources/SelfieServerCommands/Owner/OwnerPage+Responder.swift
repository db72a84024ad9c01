import HTTPMessages
import HTTPServer
import SelfieOperations

extension OwnerPage {
  /// A responder that serves the page, and leaves everything else to another one.
  func before(_ other: Responder) -> Responder {
    Responder(
      reply: { request in
        // While no page is open, a request does not pay for the call below.
        guard isOn else { return other.reply(request).map { noted($0, to: request.head) } }
        return .later { await respond(to: request) { await other.reply($0).response } }
      },
      refuse: { noted(other.refuse($0, $1, $2, $3), to: $2) },
      endOfTurn: other.endOfTurn, responseSent: other.responseSent)
  }
}
