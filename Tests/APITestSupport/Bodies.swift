import HTTPMessages
import Synchronization
import TestSupport
import Testing

package typealias MultipartBody = TestSupport.MultipartBody

package enum Samples {
  package static let png: [UInt8] =
    [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + (0..<500).map { UInt8($0 % 251) }
  package static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0] + Array("JFIF".utf8)
  package static let page = Array("<html><script>alert(1)</script>".utf8)

  /// Bytes without a pattern, and with line ends and dashes in them.
  package static func bytes(_ count: Int) -> [UInt8] {
    noise.withLock { noise in
      while noise.bytes.count < count {
        let number = noise.random.next()
        let (kind, byte) = (number % 7, UInt8(truncatingIfNeeded: number))
        noise.bytes.append(kind == 0 ? 0x0d : kind == 1 ? 0x0a : kind == 2 ? 0x2d : byte)
      }
      return Array(noise.bytes.prefix(count))
    }
  }

  /// Every test asks for the beginning of the same bytes, and a debug build takes long to make them.
  private static let noise = Mutex<(bytes: [UInt8], random: SplitMix64)>(([], SplitMix64(seed: 1)))
}

/// A body that comes in pieces of the given sizes, over and over, and may break off.
package final class PiecesBody: RequestBody.Source {
  private let pieces: Mutex<(rest: ArraySlice<UInt8>, count: Int)>
  private let sizes: [Int]
  private let failure: BodyError?

  package init(_ bytes: [UInt8], sizes: [Int], failure: BodyError? = nil) {
    pieces = Mutex((bytes[...], 0))
    self.sizes = sizes
    self.failure = failure
  }

  package func next() async throws(BodyError) -> [UInt8]? {
    let piece = pieces.withLock { pieces in
      let piece = Array(pieces.rest.prefix(sizes[pieces.count % sizes.count]))
      pieces.rest = pieces.rest.dropFirst(piece.count)
      pieces.count += 1
      return piece
    }
    if piece.isEmpty, let failure { throw failure }
    return piece.isEmpty ? nil : piece
  }
}

/// A body that nobody should read.
package struct UnreadBody: RequestBody.Source {
  package init() {}

  package func next() async throws(BodyError) -> [UInt8]? {
    Issue.record("the body was read")
    return nil
  }
}

/// A body without an end, in large pieces.
package final class EndlessBody: RequestBody.Source {
  private let beginning: Mutex<[UInt8]?>
  package let readBytes = Atomic<Int>(0)

  package init(after beginning: [UInt8]) {
    self.beginning = Mutex(beginning)
  }

  package func next() async throws(BodyError) -> [UInt8]? {
    let first = beginning.withLock { $0.take() }
    let piece = first ?? [UInt8](repeating: 0x41, count: 64 * 1024)
    readBytes.add(piece.count, ordering: .relaxed)
    return piece
  }
}

/// A body that stops in its middle until it is told to go on.
package final class HeldBody: RequestBody.Source {
  private let pieces: Mutex<[[UInt8]]>
  private let middle = AsyncStream<Void>.makeStream()
  private let going = AsyncStream<Void>.makeStream()

  package init(_ bytes: [UInt8]) {
    let half = bytes.count / 2
    pieces = Mutex([Array(bytes[half...]), Array(bytes[..<half])])
  }

  package func reachesMiddle() async {
    for await _ in middle.stream { return }
  }

  package func goOn() {
    going.continuation.finish()
  }

  package func next() async throws(BodyError) -> [UInt8]? {
    let (piece, isSecond) = pieces.withLock { pieces in (pieces.popLast(), pieces.isEmpty) }
    if piece != nil && isSecond {
      middle.continuation.finish()
      for await _ in going.stream {}
    }
    return piece
  }
}
