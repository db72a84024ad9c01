import HTTPServer
import SelfieOperations

extension OwnerPage {
  /// A responder that serves the page, and leaves everything else to another one.
  func before(_ other: Responder) -> Responder {
    let next = other.respond
    return Responder(
      respond: { request in
        if isOn { return await respond(to: request, else: next) }
        // While nobody uses the page, a request does not pay for the call above.
        let response = await next(request)
        noteError(response, to: request.head)
        return response
      },
      refuse: { refused in
        let response = other.refuse(refused)
        noteError(response, to: refused.head)
        return response
      }, endOfTurn: other.endOfTurn, responseSent: other.responseSent)
  }
}
