import Foundation
import Platform
import TestSupport

/// A socket between clients and the tests' server that can lose a connection just when it matters.
final class CuttingProxy: Sendable {
  enum Cut: Sendable {
    case never
    /// What the client sends next reaches the server, which responds. The response is lost.
    case beforeResponse
    /// What the client sends next is lost.
    case beforeRequest
    /// As `beforeResponse`, and the client is told what PgBouncer tells it when it loses its own connection.
    case beforeResponseWithError

    /// What is to be lost now; if anything is, nothing is from then on.
    fileprivate mutating func take(isRequest: Bool) -> Cut? {
      guard self != .never, isRequest == (self == .beforeRequest) else { return nil }
      defer { self = .never }
      return self
    }
  }

  private let folder: TemporaryFolder
  private let listener: Int32
  private let cut = Monitor(Cut.never)

  init(to serverFolder: String) throws {
    folder = try TemporaryFolder()
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let address = try UnixSocketAddress(path: folder.path + "/.s.PGSQL.5432")
    guard address.withPointer({ bind(listener, $0, $1) }) == 0, listen(listener, 8) == 0 else {
      throw SystemError("bind")
    }
    _ = try Thread(named: "proxy") { [listener, cut] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = try? Thread(named: "proxied") { Self.serve(client, serverFolder, cut) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  var socketFolder: String { folder.path }

  func cutNext(_ kind: Cut) {
    cut.withLock { $0 = kind }
  }

  private static func serve(_ client: Int32, _ serverFolder: String, _ cut: Monitor<Cut>) {
    guard let server = connectToServer(serverFolder, for: client) else { return }
    defer {
      close(client)
      close(server)
    }
    while true {
      var sockets = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&sockets, 2, -1) > 0 else { return }
      for (index, other) in [server, client].enumerated() where sockets[index].revents != 0 {
        if let cut = cut.withLock({ $0.take(isRequest: index == 0) }) {
          if cut == .beforeResponseWithError { _ = send(client, poolerError, poolerError.count, Int32(MSG_NOSIGNAL)) }
          return
        }
        guard forward(sockets[index].fd, other) else { return }
      }
    }
  }

  /// An ErrorResponse: its fields, each ended by a NUL, and a last NUL.
  private static let poolerError: [UInt8] = {
    let fields = ["SFATAL", "C08P01", "Mserver conn crashed?", ""].flatMap { text -> [UInt8] in Array(text.utf8) + [0] }
    return [UInt8(ascii: "E"), 0, 0, 0, UInt8(fields.count + 4)] + fields
  }()

  private static func forward(_ source: Int32, _ target: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(source, &bytes, bytes.count)
    guard count > 0 else { return false }
    return send(target, bytes, count, Int32(MSG_NOSIGNAL)) == count
  }
}

/// A socket that is connected to the server in a folder. If there is no server, it closes `client` and returns nil.
func connectToServer(_ folder: String, for client: Int32) -> Int32? {
  let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
  if let address = try? UnixSocketAddress(path: folder + "/.s.PGSQL.5432"),
    address.withPointer({ connect(server, $0, $1) }) == 0
  {
    return server
  }
  close(client)
  close(server)
  return nil
}
