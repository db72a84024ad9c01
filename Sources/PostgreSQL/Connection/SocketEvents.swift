/// What a connection waits for on its socket, or what has happened there.
public struct SocketEvents: OptionSet, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  public static let readable = SocketEvents(rawValue: 1)
  public static let writable = SocketEvents(rawValue: 2)
}
