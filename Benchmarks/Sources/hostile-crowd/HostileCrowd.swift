import Glibc

/// Shows what a crowd of hostile clients does to a server and to its other clients: 1,000 that send
/// their request's head byte by byte, 1,000 that say nothing, 300 that send their body byte by byte
/// and 300 that ask and never read, all at once.
///
/// Four things are measured, each with a goal (`Goals`): how long a healthy client waits, compared
/// with a quiet server; when each attacker is cut off and when it is gone; what the server's
/// processor time is while only attackers are there; and whether its descriptors and its memory come
/// back to what they were.
///
/// bin/crowd starts a server for it. By hand: `hostile-crowd PORT PID BASIC TOKEN [--quick]`, where
/// BASIC is the base64 of the API's name and password, and TOKEN a user's. --quick measures the
/// healthy client only, for ten seconds, and does not wait for the attackers' end.
@main
struct HostileCrowd {
  static func main() {
    guard let options = Options(CommandLine.arguments) else {
      print("usage: hostile-crowd PORT PID BASIC TOKEN [--quick]")
      exit(2)
    }
    signal(SIGPIPE, SIG_IGN)
    raiseDescriptorLimit()
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

  private static func raiseDescriptorLimit() {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
  }
}

/// What to attack.
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
