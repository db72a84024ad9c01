import CLinux
import Glibc
import Measuring
import Platform
import Synchronization

/// All the attackers, on one thread with one epoll instance.
final class Crowd {
  private let shared = Shared()
  private let thread: Thread

  private final class Shared: Sendable {
    let isOver = Atomic<Bool>(false)
    let connected = Atomic<Int>(0)
    let isGone = Atomic<Bool>(false)
    let records = Mutex<[Attack: [Attacker.Record]]>([:])
  }

  static let size = Attack.allCases.reduce(0) { $0 + $1.clients }

  /// Begins to connect the attackers.
  init(port: UInt16, basic: String) throws {
    thread = try Thread(named: "crowd") { [shared] in
      guard var loop = CrowdLoop(port: port, basic: basic) else { return }
      while !shared.isOver.load(ordering: .relaxed) && !loop.isGone {
        loop.turn()
        shared.connected.store(loop.connected, ordering: .relaxed)
      }
      shared.isGone.store(loop.isGone, ordering: .relaxed)
      shared.records.withLock { $0 = loop.end() }
    }
  }

  /// Waits until all of them are connected. Returns false if that takes too long.
  func gathers(within seconds: Double) -> Bool {
    let end = monotonicSeconds() + seconds
    while shared.connected.load(ordering: .relaxed) < Self.size {
      guard monotonicSeconds() < end else { return false }
      pause(0.05)
    }
    return true
  }

  /// Whether the server has ended all connections.
  var isGone: Bool { shared.isGone.load(ordering: .relaxed) }

  /// Ends the remaining connections, and returns the fate of each. Must be called only once.
  func disperse() -> [Attack: [Attacker.Record]] {
    shared.isOver.store(true, ordering: .relaxed)
    thread.join()
    return shared.records.withLock { $0 }
  }
}

/// The work of the crowd's thread between two waits.
private struct CrowdLoop {
  private let epoll: Int32
  private let port: UInt16
  /// The attackers that have not connected yet.
  private var waiting: [(attack: Attack, number: Int)]
  private let openings: [Attack: [UInt8]]
  private var attackers: [Attacker] = []
  private var nextTick = monotonicSeconds()

  /// Fifty times a second, connects a few more attackers, so that all are connected after about two seconds, and sends
  /// the bytes that are due.
  private static let tick = 0.02
  private static let newcomers = 26
  private static let mostEvents = 256

  init?(port: UInt16, basic: String) {
    epoll = clinux_epoll_create()
    guard epoll >= 0 else { return nil }
    self.port = port
    openings = Dictionary(uniqueKeysWithValues: Attack.allCases.map { ($0, $0.opening(basic: basic)) })
    waiting = []
    for attack in Attack.allCases {
      for number in 0..<attack.clients { waiting.append((attack, number)) }
    }
    // The attacks are mixed, rather than made one after the other.
    func place(_ one: (attack: Attack, number: Int)) -> Double { Double(one.number) / Double(one.attack.clients) }
    waiting.sort { place($0) > place($1) }
  }

  var connected: Int { attackers.count { $0.isConnected } }
  var isGone: Bool { waiting.isEmpty && attackers.allSatisfy { $0.isGone } }

  mutating func turn() {
    wait(until: nextTick)
    let now = monotonicSeconds()
    guard now >= nextTick else { return }
    nextTick = now + Self.tick
    for _ in 0..<min(Self.newcomers, waiting.count) { add(waiting.removeLast()) }
    for index in attackers.indices { attackers[index].drip(now: now) }
  }

  mutating func end() -> [Attack: [Attacker.Record]] {
    for attacker in attackers { attacker.close() }
    close(epoll)
    return Dictionary(grouping: attackers, by: \.attack).mapValues { $0.map(\.record) }
  }

  private mutating func add(_ next: (attack: Attack, number: Int)) {
    let attacker = Attacker(
      next.attack, number: next.number, port: port, opening: openings[next.attack] ?? [], epoll: epoll,
      token: UInt64(attackers.count))
    if let attacker { attackers.append(attacker) }
  }

  private mutating func wait(until moment: Double) {
    let timeout = Int32(max(0, (moment - monotonicSeconds()) * 1000).rounded(.up))
    withUnsafeTemporaryAllocation(of: clinux_event.self, capacity: Self.mostEvents) { events in
      let count = Int(clinux_epoll_wait(epoll, events.baseAddress, Int32(Self.mostEvents), timeout))
      let now = monotonicSeconds()
      for event in events.prefix(max(0, count)) { attackers[Int(event.token)].handle(event, now: now) }
    }
  }
}
