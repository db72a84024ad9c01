import Platform
import Testing

@Suite struct HumanValueTests {
  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_949, "1.9 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
    (1_500_000_000, "1.5 GB"), (Int64.max, "9.2 EB"),
  ])
  func `bytes are shown in the unit that suits them`(count: Int64, text: String) {
    #expect(HumanValue.bytes(count) == text)
  }

  @Test(arguments: [
    (0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678"), (Int.max, "9,223,372,036,854,775,807"),
  ])
  func `numbers are shown in groups of three digits`(number: Int, text: String) {
    #expect(HumanValue.number(number) == text)
  }

  @Test(arguments: [
    (0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3_600, "1 h 0 min"), (90_061, "1 d 1 h"), (86_400 * 400, "400 d 0 h"),
  ])
  func `durations are shown in their two largest units`(seconds: Int64, text: String) {
    #expect(HumanValue.duration(seconds: seconds) == text)
  }
}
