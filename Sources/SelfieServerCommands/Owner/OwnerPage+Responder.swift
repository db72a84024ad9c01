import HTTPServer
import SelfieOperations

extension OwnerPage {
  /// A responder that serves the page, and leaves everything else to another one.
  func before(_ other: Responder) -> Responder {
    let next = other.respond
    return Responder(
      respondAtOnce: { isOn ? nil : other.respondAtOnce($0) },
      respond: { request in
        if isOn { return await respond(to: request, else: next) }
        // While no page is open, a request does not pay for the call above.
        return noted(await next(request), to: request.head)
      },
      refuse: { noted(other.refuse($0, $1, $2, $3), to: $2) },
      endOfTurn: other.endOfTurn, responseSent: other.responseSent)
  }
}
