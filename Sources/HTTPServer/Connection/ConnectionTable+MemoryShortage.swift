import Platform

// Which clients are disconnected when memory is short. HTTPConnection+Memory.swift counts what each connection holds, and
// `MemoryGovernor` in Platform finds what nobody has counted.
extension ConnectionTable {
  private struct Holder {
    let connection: HTTPConnection
    let bytes: Int
    /// How much its network holds beyond its share.
    let excess: Int
    /// In milliseconds.
    let delay: Int64
  }

  /// Drops connections that hold memory and keep the server waiting, until enough is free: first those of clients that
  /// hold more than their share, then those that are too slow, and of either the slowest first.
  ///
  /// Nobody knows which of the connections hold what was not counted, so each is presumed to hold an equal part: those of
  /// the network that has most go first. If that does not help, others follow each time that the governor has looked
  /// again.
  func dropSlowest() {
    guard now - lastDropping >= limits.droppingInterval else { return }
    lastDropping = now
    let isNews = memory.lookCount != droppedAtLook
    droppedAtLook = memory.lookCount
    let uncounted = isNews ? memory.uncountedBytes : 0
    var wanted = memory.excessBytes - (memory.uncountedBytes - uncounted)
    guard wanted > 0 else { return }
    for holder in holders(uncounted: uncounted) where wanted > 0 {
      wanted -= holder.bytes
      holder.connection.drop()
    }
  }

  /// The connections that may be dropped, the first one first.
  private func holders(uncounted: Int) -> [Holder] {
    let all = connections.compactMap(\.self)
    let presumed = uncounted == 0 ? 0 : uncounted / max(1, all.count(where: \.mayHoldUncounted))
    let holding = all.map { ($0, bytes: $0.heldBytes + (presumed > 0 && $0.mayHoldUncounted ? presumed : 0)) }
    let held = holding.reduce(into: [:]) { held, holder in held[holder.0.network, default: 0] += holder.bytes }
    let share = max(limits.minShare, held.values.reduce(0, +) / 8)
    // Then nobody can go on, also those for whom the server is at work.
    let isStuck = memory.isExhausted && memory.isMuchUncounted && uncounted > 0
    return holding.compactMap { connection, bytes in
      guard bytes >= limits.minDroppedBytes else { return nil }
      let excess = max(0, (held[connection.network] ?? 0) - share)
      let delay = isStuck ? connection.age : connection.delay
      guard delay >= (excess > 0 ? 1 : limits.shortageDelay) else { return nil }
      return Holder(connection: connection, bytes: bytes, excess: excess, delay: delay)
    }.sorted { ($0.excess, $0.delay) > ($1.excess, $1.delay) }
  }
}
