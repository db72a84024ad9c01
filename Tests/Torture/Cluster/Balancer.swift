import Foundation
import Glibc
import Platform
import TestSupport

/// haproxy before the servers: a port for all of them, and one for each.
final class Balancer {
  let port: Int
  /// By which a certain server is asked.
  let ports: [Int]
  /// Keep the ports for haproxy, which shares them (SO_REUSEPORT).
  private let reservations: [OpenFile]
  private let running: Child

  /// - Parameter hosts: of the servers.
  init(before hosts: [String], folder: String) throws {
    reservations = (0...hosts.count).map { _ in
      OpenFile(owning: socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    }
    let all = try reservations.map { reservation in
      var on: Int32 = 1
      setsockopt(reservation.descriptor, SOL_SOCKET, SO_REUSEPORT, &on, socklen_t(MemoryLayout<Int32>.size))
      guard let port = RawClient.bindToFreePort(reservation.descriptor) else { throw Violation("no port is free") }
      return port
    }
    (port, ports) = (all[0], Array(all.dropFirst()))
    let configuration = "\(folder)/haproxy.cfg"
    try Self.configuration(port, ports, hosts).write(toFile: configuration, atomically: true, encoding: .utf8)
    running = try Child(command: ["haproxy", "-db", "-f", configuration], log: "\(folder)/haproxy.log")
  }

  /// A request is sent to another server only if the first one could not be reached, so that none is done twice. The
  /// balancer asks /up instead of /readyz, so that clients get the servers' own responses while the database is away.
  private static func configuration(_ port: Int, _ ports: [Int], _ hosts: [String]) -> String {
    var lines = [
      "defaults", "  mode http", "  option redispatch", "  retries 3", "  timeout connect 500ms",
      "  timeout client 130s", "  timeout server 130s", "  timeout check 500ms",
      "frontend all", "  bind 127.0.0.1:\(port)", "  default_backend servers",
      "backend servers", "  balance roundrobin", "  option httpchk GET /up",
      "  default-server inter 100ms fall 2 rise 1",
    ]
    let servers = hosts.enumerated().map { "  server server\($0) \($1):\(ClusterServer.port)" }
    lines += servers.map { $0 + " check" }
    for (number, (server, port)) in zip(servers, ports).enumerated() {
      lines += ["listen server\(number)", "  bind 127.0.0.1:\(port)", server]
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
