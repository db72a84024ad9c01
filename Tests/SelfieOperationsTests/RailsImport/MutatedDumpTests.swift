import APITestSupport
import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct MutatedDumpTests {
  /// So many with each seed.
  private static let dumpsPerSeed = 120

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `are read or refused, and never end the process`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let whole = Array(try SampleDumps.export().utf8)
    var refused = 0
    for _ in 0..<Self.dumpsPerSeed {
      let damaged = Self.damaged(whole, using: &generator)
      do {
        _ = try RailsDump(bytes: damaged, blockBytes: Int.random(in: 1...damaged.count + 1, using: &generator))
      } catch let problems as DumpProblems {
        #expect((1...DumpProblems.maxKept + 1).contains(problems.lines.count))
        refused += 1
      }
    }
    #expect(refused > Self.dumpsPerSeed / 4)
  }

  private static func damaged(_ whole: [UInt8], using generator: inout SplitMix64) -> [UInt8] {
    var bytes = whole
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let position = Int.random(in: 0..<bytes.count, using: &generator)
      let end = min(bytes.count, position + Int.random(in: 1...60, using: &generator))
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[position] = UInt8.random(in: .min ... .max, using: &generator)
      case 2: bytes.removeSubrange(position..<end)
      case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
      case 4: bytes.removeSubrange(position...)
      case 5: bytes.removeSubrange(..<position)
      default: bytes.insert(contentsOf: special.randomElement(using: &generator) ?? [], at: position)
      }
    }
    return bytes
  }

  private static let special: [[UInt8]] = [
    "\\", "\n", "\r", "\0", "\t", "\\N", "\\.", "\n\\.\n", "\\x", "\u{fffd}", "-", "99999999999999999999",
    "\nCOPY public.users (id) FROM stdin;\n", "\nCOPY ( FROM stdin;\n", "\nCOPY FROM stdin;\n",
    "\nINSERT INTO public.users",
    "\nSET search_path = ;\n", "\nSET client_encoding = 'x';\n",
  ].map { Array($0.utf8) }
}
