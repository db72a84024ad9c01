package import Cryptography
import Platform

/// The random numbers of a world, from which its ids and tokens are made: the system's or, from a seed, always the same.
///
/// A world begins them anew when it is reset. A seed of users changes them, and a snapshot keeps where they are, so that an id
/// that is stored is not made again.
package final class WorldRandom: Sendable {
  private let start: SeededGenerator
  /// Nil for the system's numbers.
  private let state: Monitor<SeededGenerator>?

  /// - Parameters:
  ///   - seed: nil for the system's numbers.
  ///   - world: the world's name. Clients find photos by their ids alone, so each world has its own.
  package init(seed: UInt64? = nil, world: String = "") {
    start = SeededGenerator(seed: Self.number(of: Array("\(seed ?? 0) \(world)".utf8)))
    state = seed.map { [start] _ in Monitor(start) }
  }

  package var source: RandomSource {
    guard let state else { return .system }
    return RandomSource { count in state.withLock { $0.bytes(count) } }
  }

  /// Where the numbers are; nil for the system's.
  var position: SeededGenerator? { state?.withLock(\.self) }

  func restart() { state?.withLock { $0 = start } }

  /// - Parameter position: of these numbers.
  func resume(at position: SeededGenerator?) {
    guard let position else { return }
    state?.withLock { $0 = position }
  }

  /// Goes on with numbers that depend on a document, too.
  func mix(_ document: @autoclosure () -> [UInt8]) {
    guard let state else { return }
    let number = Self.number(of: document())
    state.withLock { $0 = SeededGenerator(seed: $0.number() ^ number) }
  }

  private static func number(of bytes: [UInt8]) -> UInt64 {
    Digest.sha256(bytes).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
