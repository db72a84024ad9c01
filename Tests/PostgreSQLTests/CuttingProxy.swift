import Foundation
import Platform
import TestSupport

/// A Unix socket between clients and the tests' server that can lose a connection just when it matters.
final class CuttingProxy: Sendable {
  enum Cut: Sendable {
    case never
    /// What the client sends next reaches the server, which responds. The response is lost.
    case beforeResponse
    /// What the client sends next is lost.
    case beforeRequest

    /// Whether this is what is to be lost; if so, nothing is from then on.
    fileprivate mutating func take(isRequest: Bool) -> Bool {
      guard self == (isRequest ? .beforeRequest : .beforeResponse) else { return false }
      self = .never
      return true
    }
  }

  private let folder: TemporaryFolder
  private let listener: Int32
  private let target: String
  private let cut = Monitor(Cut.never)

  init(to serverFolder: String) throws {
    folder = try TemporaryFolder()
    target = serverFolder + "/.s.PGSQL.5432"
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let address = try UnixSocketAddress(path: folder.path + "/.s.PGSQL.5432")
    guard address.withPointer({ bind(listener, $0, $1) }) == 0, listen(listener, 8) == 0 else {
      throw SystemError("bind")
    }
    _ = try Thread(named: "proxy") { [listener, target, cut] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = try? Thread(named: "proxied") { Self.serve(client, target, cut) }
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

  private static func serve(_ client: Int32, _ target: String, _ cut: Monitor<Cut>) {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer {
      close(client)
      close(server)
    }
    guard let address = try? UnixSocketAddress(path: target), address.withPointer({ connect(server, $0, $1) }) == 0
    else { return }
    while true {
      var sockets = [pollfd(fd: client, events: Int16(POLLIN), revents: 0)]
      sockets.append(pollfd(fd: server, events: Int16(POLLIN), revents: 0))
      guard poll(&sockets, 2, -1) > 0 else { return }
      for (index, other) in [server, client].enumerated() where sockets[index].revents != 0 {
        if cut.withLock({ $0.take(isRequest: index == 0) }) { return }
        guard forward(sockets[index].fd, other) else { return }
      }
    }
  }

  private static func forward(_ source: Int32, _ target: Int32) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(source, &bytes, bytes.count)
    guard count > 0 else { return false }
    return send(target, bytes, count, Int32(MSG_NOSIGNAL)) == count
  }
}
