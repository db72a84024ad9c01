import Glibc
import TestSupport

/// Where a server of a cluster is: in a network of its own, which can be cut, if this process may make one.
struct ServerNetwork {
  let number: Int
  let isSeparate: Bool
  /// The server's own address.
  let host: String
  /// The server's port.
  let port = 3000

  /// This machine's address as the server sees it.
  var gateway: String { isSeparate ? "10.213.\(number).1" : "127.0.0.1" }
  /// What to put before a program that is to be in it.
  var command: [String] { isSeparate ? ["ip", "netns", "exec", name] : [] }

  private var name: String { "torture\(number)" }
  private var near: String { "torture\(number)" }

  init(number: Int, log: String) throws {
    self.number = number
    isSeparate = getuid() == 0
    host = isSeparate ? "10.213.\(number).2" : LoopbackAddress.unused()
    guard isSeparate else { return }
    for arguments in [
      "netns add \(name)", "link add \(near) type veth peer name far netns \(name)",
      "addr add \(gateway)/30 dev \(near)", "link set \(near) up",
      "-n \(name) addr add \(host)/30 dev far", "-n \(name) link set far up", "-n \(name) link set lo up",
    ] {
      try ip(arguments, log)
    }
  }

  func cut(log: String) throws { if isSeparate { try ip("link set \(near) down", log) } }

  func mend(log: String) throws { if isSeparate { try ip("link set \(near) up", log) } }

  private func ip(_ arguments: String, _ log: String) throws {
    try Program.run(["ip"] + arguments.split(separator: " ").map(String.init), log: log)
  }
}
