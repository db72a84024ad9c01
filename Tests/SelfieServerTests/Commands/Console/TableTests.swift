import Testing

@testable import SelfieServer

@Suite struct TableTests {
  @Test func `columns are aligned by their letters`() {
    let table = Terminal.table(
      [("NAME", .text), ("N", .number), ("LAST", .text)], [["Jo\u{301}e", "1", "x"], ["ab", "100", "yy"]])
    #expect(table == "NAME    N  LAST\nJo\u{301}e     1  x\nab    100  yy\n")
  }

  @Test func `a long cell is shortened, and one that is needed whole is not`() {
    let long = String(repeating: "é", count: 41)
    let table = Terminal.table([("A", .text), ("B", .whole)], [[long, long]])
    #expect(table.hasSuffix(String(repeating: "é", count: 39) + "…  " + long + "\n"), "\(table)")
  }

  @Test func `the longest texts are shortened until a table fits, and nothing that is needed whole`() {
    let cells = [String(repeating: "a", count: 20), String(repeating: "b", count: 12), "whole@example.com"]
    let table = Terminal.table([("A", .text), ("B", .text), ("C", .whole)], [cells], width: 40)
    #expect(table.hasSuffix("\naaaaaaaa…  bbbbbbbbb…  whole@example.com\n"), "\(table)")
    #expect(
      Terminal.table([("A", .text), ("B", .text), ("C", .whole)], [cells], width: 5).contains(
        "aaaaaaa…  bbbbbbb…  whole"))
  }

  @Test func `no title and no cell controls the terminal`() {
    let hostile = "\u{1b}[2J\n\r\u{9b}\u{202e}"
    let escaped = "\\u{1b}[2J\\n\\u{d}\\u{9b}\\u{202e}"
    #expect(Terminal.table([(hostile, .text)], [[hostile]]) == "\(escaped)\n\(escaped)\n")
  }
}
