import Glibc
import LoadTesting
import Measuring
import Platform

/// Measures how a crowd of hostile clients affects a server and its other clients. At the same time, 1,000 clients send
/// the head of a request byte by byte, 1,000 send nothing, 300 send a body byte by byte, and 300 send requests but
/// never read.
///
/// Four things are measured, each with a goal (`Goals`): how long a healthy client waits, compared with a quiet server;
/// when the server answers or ends each attacker, and when the connection is gone; how much processor time the server
/// uses for the attackers alone; and whether its descriptors and its memory return to their former level.
///
/// bin/crowd starts a server for it. By hand: `hostile-crowd PORT PID BASIC TOKEN [--quick]`, where
/// BASIC is the base64 of the API's name and password, and TOKEN a user's. --quick measures the
/// healthy client only, for ten seconds, and does not wait for the attackers' end.
@main
struct HostileCrowd {
  static func main() throws {
    switch CommandLine.arguments.dropFirst().first {
    case "sign-ups": flood(SignupFlood.init, "sign-ups PORT BASIC PASSWORD") { try $0.run() }
    case "pipelines": flood(PipelineFlood.init, "pipelines PORT TOKEN") { try $0.run() }
    case "notes": flood(PipelineFlood.init, "notes PORT TOKEN BASIC") { try $0.run() }
    case "downloads": flood(DownloadFlood.init, "downloads PORT TOKEN PHOTO") { try $0.run() }
    case "writes": flood(WriteFlood.init, "writes PORT TOKEN BASIC") { try $0.run() }
    default: break
    }
    guard let options = Options(CommandLine.arguments) else {
      print("usage: hostile-crowd PORT PID BASIC TOKEN [--quick]")
      exit(2)
    }
    signal(SIGPIPE, SIG_IGN)
    try raiseDescriptorLimit()
    do {
      let findings = try Course(options).run()
      let goals = Goals.judge(findings)
      print(Report.markdown(findings, goals))
      exit(goals.contains { !$0.isMet } ? 1 : 0)
    } catch {
      print("hostile-crowd: \(error)")
      exit(1)
    }
  }

  private static func flood<Flood>(
    _ make: ([String]) -> Flood?, _ usage: String, run: (Flood) throws -> Bool
  ) -> Never {
    guard let flood = make(Array(CommandLine.arguments.dropFirst(2))) else {
      fail("usage: hostile-crowd \(usage) [--quick]")
    }
    do {
      exit(try run(flood) ? 0 : 1)
    } catch {
      fail("hostile-crowd: \(error)")
    }
  }
}

/// The server to attack.
struct Options {
  let port: UInt16
  let server: ServerProcess
  /// The base64 of the API's name and password.
  let basic: String
  /// A user's token.
  let token: String
  let isQuick: Bool

  init?(_ arguments: [String]) {
    var rest = arguments.dropFirst()
    isQuick = rest.contains("--quick")
    rest.removeAll { $0 == "--quick" }
    guard rest.count == 4, let port = UInt16(rest[1]), let pid = Int32(rest[2]) else { return nil }
    self.port = port
    server = ServerProcess(pid: pid)
    basic = rest[3]
    token = rest[4]
  }
}
