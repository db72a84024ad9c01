import HTTPMessages
import HTTPServer
import Platform

// The HTTP port beside HTTPS. `ACMEChallenges` has the responses to challenges.
extension Server {
  /// The plain HTTP port next to the TLS port: it answers the challenges of ACME, leads browsers to HTTPS, and refuses
  /// everything else. What an app would send here has crossed the network in clear text. Nil without TLS and ACME_WEBROOT.
  ///
  /// - Parameter backend: makes the responses to refused requests, and receives a record of every exchange.
  static func plainPort(
    _ settings: Settings, tlsPort: Int, memory: MemoryBudget, backend: Responder
  ) throws -> Server? {
    guard settings.tls != nil, let challenges = settings.acmeWebroot.map(ACMEChallenges.init) else { return nil }
    let publicURL = settings.publicURL
    let port = settings.acmePort
    let listener = try Listener(host: settings.host, port: port, of: "ACME_PORT", port)
    return try Server(
      listener: listener, loopCount: 1, memory: memory,
      responder: Responder(
        respond: { request in
          if let response = challenges.response(to: request) { return response }
          guard [.get, .head].contains(request.head.method), request.head.target.first == UInt8(ascii: "/"),
            let address = publicURL ?? httpsAddress(of: request, port: tlsPort)
          else {
            return backend.refuse(
              .forbidden, "This port is for certificates only. Send the request by HTTPS.", request.head,
              request.context)
          }
          var fields = ResponseFields()
          fields.append("Location", Array(address.utf8) + request.head.target)
          return Response(status: Status(code: 301), fields: fields)
        },
        refuse: backend.refuse, responseSent: backend.responseSent))
  }

  /// `https://` with the host that the client has named, and the port if it is not the usual one.
  private static func httpsAddress(of request: Request, port: Int) -> String? {
    guard let authority = request.head.host else { return nil }
    let text = String(decoding: authority, as: UTF8.self)
    // A colon within brackets belongs to an IPv6 address.
    let end = text.lastIndex(of: ":").flatMap { text[$0...].contains("]") ? nil : $0 } ?? text.endIndex
    return "https://\(text[..<end])\(port == 443 ? "" : ":\(port)")"
  }
}
