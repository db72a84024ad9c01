import Testing

@testable import SelfieServer

@Suite struct SettingKindTests {
  @Test(
    arguments: [
      (.seconds(0...Int64.max), "86400", 86_400), (.seconds(0...Int64.max), "90s", 90),
      (.seconds(0...Int64.max), "5m", 300), (.seconds(0...Int64.max), "12h", 43_200),
      (.seconds(0...Int64.max), "30d", 2_592_000), (.seconds(1...9), "0", nil), (.seconds(1...9), "10s", nil),
      (.seconds(0...Int64.max), "30w", nil), (.seconds(0...Int64.max), "d", nil), (.seconds(0...Int64.max), "", nil),
      (.seconds(0...Int64.max), "1.5h", nil), (.seconds(0...Int64.max), "9223372036854775807d", nil),
      (.bytes(1...Int64.max), "64M", 67_108_864), (.bytes(1...Int64.max), "1", 1), (.bytes(1...Int64.max), "64MB", nil),
      (.number(1...10), "10", 10), (.number(1...10), "10K", nil), (.number(1...10), "10 ", nil),
      (.number(1...10), "99999999999999999999", nil),
    ] as [(SettingKind<Int64>, String, Int64?)])
  func `a number may have the letter of its unit`(_ kind: SettingKind<Int64>, _ text: String, _ number: Int64?) {
    #expect(kind.value(text) == number)
  }

  @Test(arguments: ["https://a b", "https://", "ftp://a", "http://a?b", "selfies.example"])
  func `an address must be one of HTTP`(_ text: String) {
    #expect(SettingKind<String?>.url.value(text) == nil)
  }

  @Test func `an address loses the slashes at its end`() {
    #expect(SettingKind<String?>.url.value("https://selfies.example//") == "https://selfies.example")
  }

  @Test(
    arguments: [("0", .some(nil)), ("500M", .some(524_288_000)), ("500MB", nil), ("-1", nil)] as [(String, Int64??)])
  func `a quota of 0 is none`(_ text: String, _ bytes: Int64??) {
    #expect(SettingKind<Int64?>.quota.value(text) == bytes)
  }

  @Test(arguments: [("selfie", 1), ("Notes, selfie", 2), ("", 0), ("selfie,", 1), ("selfie,rails", 0)])
  func `families are a list`(_ text: String, _ count: Int) {
    #expect(SettingKind.families.value(text)?.count ?? 0 == count)
  }

  @Test(arguments: [
    ("127.0.0.1:9464", "127.0.0.1", 9464), ("localhost:0", "localhost", 0), ("[::1]:65535", "::1", 65535),
    ("[::]:1", "::", 1),
  ])
  func `an address to listen on is a host and a port`(text: String, host: String, port: Int) {
    let address = SettingKind<ListenAddress?>.address.value(text)
    #expect(address??.host == host && address??.port == port)
  }

  @Test(arguments: [
    "", ":", "9464", ":9464", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1:-1",
    "127.0.0.1: 1", "::1:9464", "[]:1", "[::1]", "[127.0.0.1]:1", "127.0.0.1:99999999999999999999",
    "http://127.0.0.1:9464",
  ])
  func `an address to listen on is nothing else`(text: String) {
    #expect(SettingKind<ListenAddress?>.address.value(text) == nil)
  }

  @Test func `times between backups have a unit`() {
    #expect(
      ["30m", "366d", "86400", "0s", "367d"].map(Settings.interval) == [1_800_000, 31_622_400_000, nil, nil, nil])
  }
}
