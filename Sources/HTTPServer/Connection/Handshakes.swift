/// The connections of one event loop that have not agreed on TLS yet. HTTPConnection+Handshake.swift has the handshake
/// of one connection.
///
/// If there are too many, the oldest one of the network that has most gives way: an honest client needs a few round trips,
/// and is done before it is the oldest.
struct Handshakes {
  /// Of each network, the oldest first.
  private var unfinished: [Int: [HTTPConnection]] = [:]
  private var count = 0
  private let limits: Limits

  init(limits: Limits) {
    self.limits = limits
  }

  /// - Returns: the connection that must give way to this one.
  mutating func begin(_ connection: HTTPConnection) -> HTTPConnection? {
    unfinished[connection.network, default: []].append(connection)
    count += 1
    guard count > limits.maxHandshakes else { return nil }
    return unfinished.max { $0.value.count < $1.value.count }?.value.first
  }

  mutating func finish(_ connection: HTTPConnection) {
    guard let index = unfinished[connection.network]?.firstIndex(where: { $0 === connection }) else { return }
    unfinished[connection.network]?.remove(at: index)
    if unfinished[connection.network]?.isEmpty == true { unfinished[connection.network] = nil }
    count -= 1
  }
}
