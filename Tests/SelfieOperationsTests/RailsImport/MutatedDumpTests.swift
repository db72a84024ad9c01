import APITestSupport
import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct MutatedDumpTests {
  /// So many with each seed.
  private static let dumpsPerSeed = 120

  /// A dump with rows in every form.
  private static func whole() throws -> [UInt8] {
    let copy = """
      COPY public.photos (id, title, user_id, created_at, random_id) FROM stdin;
      1\ta\\tb\\101\\x4a\t1\t2014-09-01 12:34:56.789\tabc
      2\t\\N\t\\N\t\\N\t\\N
      \\.

      """
    let others = "SELECT $a$ ' $a$; /* ; */ INSERT INTO public.users (id) VALUES (1, E'\\n''\\u0041', -1.5e3);\n"
    return Array((try SampleDumps.export() + SampleDumps.photos + copy + others).utf8)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `are read or refused, and never end the process`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let whole = try Self.whole()
    var refused = 0
    for _ in 0..<Self.dumpsPerSeed {
      let damaged = Self.damaged(whole, using: &generator)
      do {
        _ = try RailsDump(bytes: damaged, blockBytes: Int.random(in: 1...damaged.count + 1, using: &generator))
      } catch let problems as DumpProblems {
        #expect((1...DumpProblems.maxKept).contains(problems.first.count))
        #expect(problems.count >= problems.first.count)
        refused += 1
      }
    }
    #expect(refused > Self.dumpsPerSeed / 4)
  }

  @Test func `bytes at random`() throws {
    var generator = SplitMix64(seed: 4)
    for _ in 0..<300 {
      let bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      #expect(throws: DumpProblems.self) { try RailsDump(bytes: bytes) }
    }
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
    "'", "\"", "\\", "\\\n", "\n", "\r", "\0", "\t", "\\N", "\\.", "\n\\.\n", ";", "(", ")", ",", ".", "$", "$$", "$a$",
    "--", "/*", "*/", "E'\\", "E'\\\n", "E'\\u", "E'\\x", "E'\\777", "\\777", "\\x", "COPY public.users FROM stdin;\n",
    "CREATE TABLE public.users (", "INSERT INTO public.users VALUES (", "99999999999999999999", "-", "1e", "\u{fffd}",
    "CREATE FUNCTION a BEGIN CASE", "SET standard_conforming_strings = off;",
  ].map { Array($0.utf8) }
}
