import HTTPMessages
import HTTPServer
import SelfieOperations

extension OwnerPage {
  /// A responder that serves the page, and leaves everything else to another one.
  func before(_ other: Responder) -> Responder {
    Responder(
      reply: { [self] request in
        // While no page is open, a request does not pay for the call below.
        if isOn { return .later { await self.respond(to: request) { await other.reply($0).response } } }
        switch other.reply(request) {
        case .now(let response): return .now(noted(response, to: request.head))
        case .later(let respond): return .later { self.noted(await respond(), to: request.head) }
        }
      },
      refuse: { [self] in noted(other.refuse($0, $1, $2, $3), to: $2) },
      endOfTurn: other.endOfTurn, responseSent: other.responseSent)
  }
}
