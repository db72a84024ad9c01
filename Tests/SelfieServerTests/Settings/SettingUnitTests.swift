import Testing

@testable import SelfieServerCommands

@Suite struct SettingUnitTests {
  @Test(
    arguments: [
      (.seconds, "86400", 86_400), (.seconds, "90s", 90), (.seconds, "5m", 300), (.seconds, "12h", 43_200),
      (.seconds, "30d", 2_592_000), (.seconds, "0", 0), (.seconds, "30w", nil), (.seconds, "d", nil),
      (.seconds, "", nil),
      (.seconds, "1.5h", nil), (.seconds, "9223372036854775807d", nil), (.bytes, "64M", 67_108_864), (.bytes, "1", 1),
      (.bytes, "64MB", nil), (.pieces, "10", 10), (.pieces, "10K", nil),
    ] as [(SettingUnit, String, Int64?)])
  func `a number may have the letter of its unit`(_ unit: SettingUnit, _ text: String, _ number: Int64?) {
    #expect(unit.number(text) == number)
  }
}
