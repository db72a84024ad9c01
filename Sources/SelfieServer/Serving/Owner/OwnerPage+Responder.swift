import HTTPMessages
import HTTPServer
import SelfieOperations

// Puts the page before the API. `OwnerPage` in SelfieOperations makes its responses.
extension OwnerPage {
  /// A responder that serves the page, and leaves everything else to another one.
  func before(_ other: Responder) -> Responder {
    Responder(
      reply: { [self] request in
        // While no page is open, a request does not pay for the call below.
        if isOn { return .later { await self.respond(to: request) { await other.reply($0).response } } }
        let reply = other.reply(request)
        switch reply {
        case .now(let response): note(response, to: request.head)
        case .later(let respond):
          return .later {
            let response = await respond()
            self.note(response, to: request.head)
            return response
          }
        }
        return reply
      },
      refuse: { [self] in
        let response = other.refuse($0, $1, $2, $3)
        note(response, to: $2)
        return response
      },
      endOfTurn: other.endOfTurn, responseSent: other.responseSent)
  }
}
