import Platform

// Which clients are disconnected when memory is short. HTTPConnection+Memory.swift counts what each connection holds.
extension ConnectionTable {
  /// Drops connections that hold memory and keep the server waiting, until enough is free: first those of clients that
  /// hold more than their share, then those that are too slow, and of either the slowest first.
  func dropSlowest() {
    guard now - lastDropping >= limits.droppingInterval else { return }
    lastDropping = now
    let all = connections.compactMap(\.self)
    var held: [Int: Int] = [:]
    for connection in all { held[connection.network, default: 0] += connection.heldBytes }
    let share = max(limits.minShare, held.values.reduce(0, +) / 8)
    var ranked: [(connection: HTTPConnection, excess: Int, delay: Int64)] = []
    for connection in all where connection.heldBytes >= limits.minDroppedBytes {
      let excess = max(0, (held[connection.network] ?? 0) - share)
      let delay = connection.delay
      if delay >= (excess > 0 ? 1 : limits.shortageDelay) { ranked.append((connection, excess, delay)) }
    }
    ranked.sort { ($0.excess, $0.delay) > ($1.excess, $1.delay) }
    var wanted = memory.excessBytes
    for (connection, _, _) in ranked where wanted > 0 {
      wanted -= connection.heldBytes
      connection.drop()
    }
  }
}
