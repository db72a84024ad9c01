import CLinux
import Glibc
import Measuring

/// One hostile connection.
struct Attacker {
  /// The fate of the connection, in seconds since it connected.
  struct Record {
    /// When the server answered, ended or reset the connection. (An attacker that never reads sees no responses.)
    var cutOff: Double?
    /// When the connection was gone, which an attacker that keeps sending learns from the reset.
    var gone: Double?
  }

  let attack: Attack
  private(set) var record = Record()
  private(set) var isConnected = false
  private let descriptor: Int32
  private let begin: Double
  private let interval: Double
  private var opening: ArraySlice<UInt8>
  private let drip: [UInt8]
  private var dripped = 0
  private var nextDrip: Double

  /// Connects. Nil if the system has no more sockets.
  init?(_ attack: Attack, number: Int, port: UInt16, opening: [UInt8], epoll: Int32, token: UInt64) {
    guard let descriptor = Loopback.begin(port: port, isTiny: attack == .nonReader) else { return nil }
    guard clinux_epoll_add_edge(epoll, descriptor, token) == 0 else {
      Glibc.close(descriptor)
      return nil
    }
    self.attack = attack
    self.descriptor = descriptor
    self.opening = opening[...]
    drip = attack.drip
    begin = monotonicSeconds()
    interval = attack.interval(of: number)
    nextDrip = begin + interval
  }

  var isGone: Bool { record.gone != nil }

  /// Handles its events from epoll.
  mutating func handle(_ event: clinux_event, now: Double) {
    func has(_ flag: Int) -> Bool { event.events & UInt32(flag) != 0 }
    guard !isGone else { return }
    if has(CLINUX_ERROR) || has(CLINUX_HANGUP) { return end(now) }
    if has(CLINUX_OUT) {
      isConnected = true
      sendOpening(now)
    }
    if has(CLINUX_PEER_CLOSED) || (has(CLINUX_IN) && attack != .nonReader) { cutOff(now) }
    // An attacker that sends nothing cannot learn more than this.
    if has(CLINUX_PEER_CLOSED) && attack == .silent { end(now) }
  }

  /// Sends the next byte if it is due.
  mutating func drip(now: Double) {
    guard isConnected, !isGone, !drip.isEmpty, now >= nextDrip else { return }
    nextDrip += interval
    let byte = drip[min(dripped, drip.count - 1)]
    dripped += 1
    _ = withUnsafeBytes(of: byte) { send($0, now) }
  }

  func close() {
    if !isGone { Glibc.close(descriptor) }
  }

  private mutating func sendOpening(_ now: Double) {
    while !opening.isEmpty, !isGone {
      let count = opening.withUnsafeBytes { send($0, now) }
      guard count > 0 else { return }
      opening = opening.dropFirst(count)
    }
  }

  private mutating func send(_ bytes: UnsafeRawBufferPointer, _ now: Double) -> Int {
    let count = clinux_send(descriptor, bytes.baseAddress, bytes.count, 0)
    if count < 0 && errno != EAGAIN && errno != EINTR { end(now) }
    return count
  }

  private mutating func cutOff(_ now: Double) {
    if record.cutOff == nil { record.cutOff = now - begin }
  }

  private mutating func end(_ now: Double) {
    guard !isGone else { return }
    cutOff(now)
    record.gone = now - begin
    Glibc.close(descriptor)
  }
}
