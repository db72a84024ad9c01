import Glibc
import HTTPMessages
import HTTPServer
import Platform

/// Serves the files with which a client of ACME proves to its authority that it controls the server's name (RFC 8555
/// §8.3). lego and certbot write them into the folder of ACME_WEBROOT. `Server.plainPort` below opens the port without
/// TLS, and `CertificateReload` reads the new certificates.
struct ACMEChallenges: Middleware {
  let webroot: String

  private static let prefix = "/.well-known/acme-challenge/"
  /// A key authorization has the token and a digest.
  private static let maxBytes = 1024

  /// - Returns: nil if the request is for something else.
  func response(to request: Request) -> Response? {
    let target = request.head.target
    guard target.starts(with: Self.prefix.utf8) else { return nil }
    request.context?.note { $0.route = "/.well-known/acme-challenge/:token" }
    let token = String(decoding: target.dropFirst(Self.prefix.utf8.count), as: UTF8.self)
    // A token has 22 letters or more, of base64url. So no name of a file can lead out of the folder.
    guard [.get, .head].contains(request.head.method), token.wholeMatch(of: /[A-Za-z0-9_-]{1,128}/) != nil,
      let contents = contents(of: token)
    else { return Response(status: .notFound) }
    return Response(
      status: .ok, fields: ResponseFields(lines: "Content-Type: text/plain\r\nX-Content-Type-Options: nosniff\r\n"),
      body: .bytes(contents))
  }

  func handle(_ request: Request, next: @escaping @Sendable (Request) -> Reply) -> Reply {
    response(to: request).map(Reply.now) ?? next(request)
  }

  /// Follows no symbolic link below the webroot, and reads nothing but regular files.
  private func contents(of token: String) -> [UInt8]? {
    var file = OpenFile(owning: open(webroot, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    for (name, kind) in [(".well-known", O_DIRECTORY), ("acme-challenge", O_DIRECTORY), (token, O_NONBLOCK)] {
      file = OpenFile(owning: openat(file.descriptor, name, kind | O_RDONLY | O_NOFOLLOW | O_CLOEXEC))
    }
    guard (try? FileSystem.status(of: file, path: ""))?.kind == .file,
      let bytes = try? FileSystem.read(file, maxBytes: Self.maxBytes + 1, path: "")
    else { return nil }
    return bytes.count <= Self.maxBytes ? bytes : nil
  }
}

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
    let listener = try Listener(host: settings.host, port: settings.acmePort, of: "ACME_PORT")
    return try Server(
      listener: listener, loopCount: 1, memory: memory,
      responder: Responder(
        respond: { request in
          if let response = challenges.response(to: request) { return response }
          guard [.get, .head].contains(request.head.method), request.head.target.first == UInt8(ascii: "/"),
            let address = publicURL ?? httpsAddress(of: request, port: tlsPort)
          else {
            return backend.refuse(
              .forbidden, "This port is for certificates only. Send the request by HTTPS.", RefusedRequest(request))
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
