import SelfieTestDocuments
import Testing

@Suite struct TestTimeTests {
  private static let noDurations = [
    "", "-", "5", "h", "5 h", "5y", "h5", "1e3s", "--5s", "5s-", "infs", "nans", "36526d", "٥s", "1..5s",
  ]
  private static let noInstants = [
    "", "2026", "2026-13-01", "2025-02-29", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00+01:00",
    "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00Zz", "1969-12-31", "2026-1-1",
    "0000-00-00", "2026-01-01 00:00:00Z", "-2026-01-01",
  ]

  @Test(
    arguments: [
      ("250ms", 250), ("30s", 30_000), ("1.5s", 1500), ("15m", 900_000), ("25h", 90_000_000), ("2d", 172_800_000),
      ("1h30m", 5_400_000), ("-25h", -90_000_000), ("0s", 0), ("36525d", 3_155_760_000_000),
    ] + noDurations.map { ($0, nil) })
  func `reads durations, and nothing else`(text: String, milliseconds: Int64?) {
    #expect(TestDuration(text)?.milliseconds == milliseconds)
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-01-01T00:00:00Z", 1_767_225_600_000), ("2026-01-01", 1_767_225_600_000),
      ("2024-02-29T23:59:59.123456Z", 1_709_251_199_123), ("2024-02-29T23:59:59.5Z", 1_709_251_199_500),
      ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ] + noInstants.map { ($0, nil) })
  func `reads instants, and nothing else`(text: String, milliseconds: Int64?) {
    #expect(TestInstant(text)?.milliseconds == milliseconds)
  }

  @Test func `an instant is written so that it can be read`() {
    #expect(TestInstant(milliseconds: 1_709_251_199_123).text == "2024-02-29T23:59:59.123Z")
    for milliseconds in stride(from: 0, to: TestInstant.range.upperBound, by: 86_399_999 * 997) {
      let instant = TestInstant(milliseconds: milliseconds)
      #expect(TestInstant(instant.text) == instant)
    }
    #expect(TestInstant(milliseconds: .max).text == "9999-12-31T23:59:59.999Z")
    #expect(TestInstant(milliseconds: .min).text == "1970-01-01T00:00:00.000Z")
  }
}
