import Glibc
import LoadTesting
import Measuring
import Platform

/// Runs ordinary clients and attackers against a server for a long time, and watches its memory, its descriptors, and
/// how long a healthy client waits.
///
/// bin/soak starts a server for it. By hand: `soak PORT PID BASIC PASSWORD SECONDS`, where BASIC is the base64 of the
/// API's name and password, and PASSWORD an account's password as the app encrypts it. The server must trust
/// X-Forwarded-For, because each client has an address of its own.
@main
struct Soak {
  private static let quietTime = 20.0
  private static let sampleInterval = 10.0
  /// Of the attackers' threads. On another machine they would take no processor time from the healthy client.
  private static let attackerNiceness = 10
  /// Seconds for the server to notice the end of the last connections, and to give memory back.
  private static let settlingTime = 60.0

  static func main() {
    let arguments = arguments("soak PORT PID BASIC PASSWORD SECONDS")
    guard let port = UInt16(arguments[0]), let pid = Int32(arguments[1]) else { fail("PORT and PID must be numbers") }
    signal(SIGPIPE, SIG_IGN)
    let api = APIClient(port: port, basic: arguments[2], password: arguments[3])
    do {
      let findings = try run(api, ServerProcess(pid: pid), seconds: Double(number(arguments[4])))
      print(findings.markdown)
      exit(findings.goals.allSatisfy(\.isMet) ? 0 : 1)
    } catch {
      fail("soak: \(error)")
    }
  }

  private static func run(_ api: APIClient, _ server: ServerProcess, seconds: Double) throws -> SoakFindings {
    guard let owner = Account(number: 0, api), owner.upload(count: 3) else { fail("no account could be made") }
    guard let hoarder = Account(number: 1, api), hoarder.upload(count: 3_000) else { fail("no photos could be made") }
    // Fills caches and starts threads before anything is compared.
    _ = try healthy(api, owner, for: 2)
    var findings = SoakFindings(before: try server.sample())
    findings.quiet = try healthy(api, owner, for: quietTime)

    let isOver = Flag()
    let tally = Visitor.Tally()
    var threads: [Thread] = []
    for visitor in 0..<4 {
      threads.append(try Thread(named: "visitor") { Visitor(number: visitor, api, tally).run(until: isOver) })
    }
    for attack in Attack.allCases {
      for client in 0..<attack.threads {
        threads.append(
          try Thread(named: "attacker", niceness: attackerNiceness) {
            attack.run(client, api, hoarder.token, until: isOver)
          })
      }
    }
    let client = try HealthyClient(port: api.port, token: owner.token)
    let end = monotonicSeconds() + seconds
    while monotonicSeconds() < end {
      pause(min(sampleInterval, end - monotonicSeconds()))
      let sample = try server.sample()
      findings.samples.append(sample)
      if findings.samples.count % 6 == 0 { note(sample, minutes: findings.samples.count / 6) }
    }
    findings.attacked = client.stop()
    isOver.raise()
    for thread in threads { thread.join() }
    findings.visits = tally.visits.load(ordering: .relaxed)
    findings.refusedVisits = tally.refusals.load(ordering: .relaxed)
    pause(min(settlingTime, seconds))
    findings.quietAgain = try healthy(api, owner, for: quietTime)
    findings.after = try server.sample()
    return findings
  }

  private static func healthy(_ api: APIClient, _ account: Account, for seconds: Double) throws -> Latencies {
    let client = try HealthyClient(port: api.port, token: account.token)
    pause(seconds)
    return client.stop()
  }

  private static func note(_ sample: ServerProcess.Sample, minutes: Int) {
    let line =
      "\(minutes) min: \(decimals(Double(sample.residentBytes) / 1e6, 1)) MB, \(sample.descriptors) descriptors\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
  }
}
