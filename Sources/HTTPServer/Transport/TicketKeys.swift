import COpenSSL
import Cryptography
import Platform

/// The keys of session tickets (RFC 5077, RFC 8446 §4.6.1). TicketKeys+Callback.swift gives them to libssl.
///
/// A ticket lets a client resume its session without another signature. Anyone who has its key can read what was sent
/// in sessions that were resumed with it under TLS 1.2, so a key is used for an hour and forgotten two hours later. They
/// are never written down, and they survive a change of the certificate.
package final class TicketKeys: Sendable {
  struct Key {
    /// Names the key in its tickets.
    let name: [UInt8]
    let cipherKey: [UInt8]
    let macKey: [UInt8]
    /// Monotonic milliseconds.
    let created: Int64
  }

  /// How long a ticket is valid.
  static let lifetimeSeconds = 7200
  /// How long a key makes new tickets.
  private static let useMilliseconds: Int64 = 3_600_000
  static let nameLength = 16

  private let keys = Monitor<[Key]>([])
  private let clock: @Sendable () -> Int64

  /// - Parameter clock: monotonic milliseconds.
  package init(clock: @escaping @Sendable () -> Int64 = { monotonicMilliseconds() }) {
    self.clock = clock
  }

  /// The key for new tickets.
  func current() -> Key {
    let now = clock()
    return keys.withLock { keys in
      keys.removeAll { now - $0.created >= Self.useMilliseconds + Int64(Self.lifetimeSeconds) * 1000 }
      if let last = keys.last, now - last.created < Self.useMilliseconds { return last }
      let random = RandomSource.system
      let key = Key(
        name: random.bytes(Self.nameLength), cipherKey: random.bytes(32), macKey: random.bytes(32), created: now)
      keys.append(key)
      return key
    }
  }

  /// The key of a ticket; nil if it is forgotten, or was never one of these.
  func key(named name: UnsafeBufferPointer<UInt8>) -> Key? {
    _ = current()
    return keys.withLock { keys in keys.first { $0.name.elementsEqual(name) } }
  }
}
