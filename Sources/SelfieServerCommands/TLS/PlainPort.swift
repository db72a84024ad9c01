import HTTPMessages
import HTTPServer
import Platform

/// The plain HTTP port next to the TLS port: it answers the challenges of ACME, leads browsers to HTTPS, and refuses
/// everything else. What an app would send here has crossed the network in clear text.
struct PlainPort {
  private let server: Server

  /// Takes the port. Nobody can connect before `start`. Nil without TLS and ACME_WEBROOT.
  ///
  /// - Parameter backend: makes the responses to what is refused, and is told of every exchange.
  init?(
    _ settings: Settings, tlsPort: Int, memory: MemoryBudget,
    backend: Responder
  ) throws {
    guard settings.tls != nil, let challenges = settings.acmeWebroot.map(ACMEChallenges.init) else { return nil }
    let publicURL = settings.publicURL
    let port = settings.acmePort
    let listener = try Listener(host: settings.host, port: port, of: "ACME_PORT", port)
    server = try Server(
      listener: listener, loopCount: 1, memory: memory,
      responder: Responder(
        respond: { request in
          if let response = challenges.response(to: request) { return response }
          guard [.get, .head].contains(request.head.method), request.head.target.first == UInt8(ascii: "/"),
            let address = publicURL ?? Self.address(of: request, port: tlsPort)
          else {
            return backend.refuse(
              RefusedRequest(
                status: .forbidden, message: "This port is for certificates only. Send the request by HTTPS.",
                head: request.head, context: request.context))
          }
          return Self.redirect(to: Array(address.utf8) + request.head.target)
        },
        refuse: backend.refuse, responseSent: backend.responseSent))
  }

  func start() throws { try server.start() }

  func stop() { server.stop() }

  /// `https://` with the host that the client has named, and the port if it is not the usual one.
  static func address(of request: Request, port: Int) -> String? {
    guard let authority = request.head.host else { return nil }
    let text = String(decoding: authority, as: UTF8.self)
    // A colon within brackets belongs to an IPv6 address.
    let end = text.lastIndex(of: ":").flatMap { text[$0...].contains("]") ? nil : $0 } ?? text.endIndex
    return "https://\(text[..<end])\(port == 443 ? "" : ":\(port)")"
  }

  private static func redirect(to address: [UInt8]) -> Response {
    var fields = ResponseFields()
    fields.append("Location", address)
    return Response(status: Status(code: 301), fields: fields)
  }
}
