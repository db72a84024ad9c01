/// What a connection waits for on its socket, or what has happened there.
struct SocketEvents: OptionSet, Sendable {
  let rawValue: UInt8

  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  static let readable = SocketEvents(rawValue: 1)
  static let writable = SocketEvents(rawValue: 2)
}
