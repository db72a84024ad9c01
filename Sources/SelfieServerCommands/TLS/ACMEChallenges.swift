import Glibc
import HTTPMessages
import HTTPServer

/// Serves the files with which a client of ACME proves to its authority that it controls the server's name (RFC 8555
/// §8.3). lego and certbot write them into the folder of ACME_WEBROOT.
struct ACMEChallenges: Sendable {
  let webroot: String

  private static let prefix = "/.well-known/acme-challenge/"
  /// A token has 22 letters or more, of base64url. So no name of a file can lead out of the folder.
  private static let tokenLengths = 1...128
  /// A key authorization has the token and a digest.
  private static let maxBytes = 1024

  /// - Returns: nil if the request is for something else.
  func response(to request: Request) -> Response? {
    let target = request.head.target
    guard target.starts(with: Self.prefix.utf8) else { return nil }
    request.context?.note { $0.route = "/.well-known/acme-challenge/:token" }
    let token = target.dropFirst(Self.prefix.utf8.count)
    guard [.get, .head].contains(request.head.method), Self.isToken(token),
      let contents = contents(of: String(decoding: token, as: UTF8.self))
    else { return Response(status: .notFound) }
    return Response(
      status: .ok, fields: ResponseFields(lines: "Content-Type: text/plain\r\nX-Content-Type-Options: nosniff\r\n"),
      body: .bytes(contents))
  }

  /// A responder that serves the challenges, and leaves everything else to another one.
  func before(_ other: Responder) -> Responder {
    Responder(
      respond: { request in
        if let response = response(to: request) { return response }
        return await other.respond(request)
      },
      refuse: other.refuse, endOfTurn: other.endOfTurn, responseSent: other.responseSent)
  }

  private static func isToken(_ token: some Collection<UInt8>) -> Bool {
    tokenLengths.contains(token.count)
      && token.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }

  /// Follows no symbolic link below the webroot, and reads nothing but regular files.
  private func contents(of token: String) -> [UInt8]? {
    var folder = open(webroot, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    for name in [".well-known", "acme-challenge"] {
      let next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      close(folder)
      folder = next
    }
    let file = openat(folder, token, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    close(folder)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.maxBytes + 1)
    let count = read(file, &bytes, bytes.count)
    return count >= 0 && count <= Self.maxBytes ? Array(bytes[..<count]) : nil
  }
}
