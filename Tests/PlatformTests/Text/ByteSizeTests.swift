import Platform
import Testing

@Suite struct ByteSizeTests {
  private static let sizes: [(String, Int64)] = [
    ("0", 0), ("1", 1), ("67108864", 67_108_864), ("1K", 1024), ("500M", 524_288_000), ("10g", 10_737_418_240),
    ("1T", 1_099_511_627_776), ("0G", 0), ("1048576T", 1 << 60),
  ]

  @Test(arguments: sizes)
  func `a size is a number, with a unit or without`(_ text: String, _ bytes: Int64) {
    #expect(Int64(byteSize: text) == bytes)
  }

  @Test(arguments: ["", "M", "-1", "+1", "1.5G", "500MB", "1 G", "G1", "9223372036854775808", "9007199254740992T", "１"])
  func `anything else is none`(_ text: String) {
    #expect(Int64(byteSize: text) == nil)
  }

  private static let texts: [(Int64, String)] = [
    (0, "0 bytes"), (1, "1 byte"), (1000, "1000 bytes"), (1024, "1 KB"), (524_288_000, "500 MB"), (1 << 40, "1 TB"),
    ((1 << 30) + 1, "1073741825 bytes"),
  ]

  @Test(arguments: texts)
  func `a size is told as it would be written`(_ bytes: Int64, _ text: String) {
    #expect(bytes.byteSize == text)
  }
}
