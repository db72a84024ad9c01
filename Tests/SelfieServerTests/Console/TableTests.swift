import Testing

@testable import SelfieServerCommands

@Suite struct TableTests {
  @Test func `columns are aligned by their letters`() {
    let table = Table.text(
      [("NAME", .text), ("N", .number), ("LAST", .text)], [["Jo\u{301}e", "1", "x"], ["ab", "100", "yy"]])
    #expect(table == "NAME    N  LAST\nJo\u{301}e     1  x\nab    100  yy\n")
  }

  @Test func `a long cell is shortened, and one that is needed whole is not`() {
    let long = String(repeating: "é", count: 41)
    let table = Table.text([("A", .text), ("B", .whole)], [[long, long]])
    #expect(table.hasSuffix(String(repeating: "é", count: 39) + "…  " + long + "\n"), "\(table)")
  }

  @Test func `no title and no cell controls the terminal`() {
    let hostile = "\u{1b}[2J\n\r\u{9b}\u{202e}"
    let escaped = "\\u{1b}[2J\\n\\u{d}\\u{9b}\\u{202e}"
    #expect(Table.text([(hostile, .text)], [[hostile]]) == "\(escaped)\n\(escaped)\n")
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_949, "1.9 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
    (1_500_000_000, "1.5 GB"), (Int64.max, "9.2 EB"),
  ])
  func `bytes are shown in the unit that suits them`(count: Int64, text: String) {
    #expect(HumanValue.bytes(count) == text)
  }

  @Test(arguments: [
    (0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (3_600, "1 h 0 min"), (90_061, "1 d 1 h"), (86_400 * 400, "400 d 0 h"),
  ])
  func `durations are shown in their two largest units`(seconds: Int64, text: String) {
    #expect(HumanValue.duration(seconds: seconds) == text)
  }
}
