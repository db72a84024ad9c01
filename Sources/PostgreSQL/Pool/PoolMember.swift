/// A place in a pool: a connection, or the wait for one.
struct PoolMember {
  enum State {
    /// The next attempt to connect is due then, in monotonic milliseconds.
    case waiting(until: Int64)
    /// The addresses of the hosts are being looked up.
    case lookingUp
    case connected(Connection)
  }

  var state: State
  /// How many attempts have failed since the last connection that became ready.
  var failures = 0
  /// Whether the connection became ready, or the last one had.
  var wasReady = false
  /// The number of the address with which an attempt begins.
  var firstAddress = 0
  /// What epoll was told to watch; nil if nothing.
  var watched: Watched?

  struct Watched: Equatable {
    let descriptor: Int32
    let events: SocketEvents
  }

  init(state: State) {
    self.state = state
  }

  var connection: Connection? {
    if case .connected(let connection) = state { connection } else { nil }
  }

  /// Its connection, if that can be given work.
  var ready: Connection? {
    connection.flatMap { $0.state == .ready ? $0 : nil }
  }

  /// When it wants to be looked at, whatever happens on its socket.
  var deadline: Int64? {
    switch state {
    case .waiting(let time): time
    case .lookingUp: nil
    case .connected(let connection):
      // One that is closed is replaced at once.
      if case .closed = connection.state { 0 } else { connection.deadline }
    }
  }
}
