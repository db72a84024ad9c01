import HTTPMessages
import Testing

@Suite struct HTTPDateTests {
  /// 2026-11-21.
  private static let now: Int64 = 1_795_219_200
  private static let example: Int64 = 784_111_777

  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", example), ("Sunday, 06-Nov-94 08:49:37 GMT", example),
      ("Sun Nov  6 08:49:37 1994", example), ("Sun Nov 16 08:49:37 1994", example + 10 * 86_400),
      // A leap second, and the ends of the range.
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      // Fifty years ahead at most.
      ("Saturday, 01-Jan-00 00:00:00 GMT", 946_684_800), ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
      ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
    ])
  func `a date of each form is read`(_ text: String, _ seconds: Int64) {
    #expect(HTTPDate(Array(text.utf8)[...], now: Self.now)?.unixSeconds == seconds)
  }

  @Test(
    arguments: [
      "", "Sun", "Sun,", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
      "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunda, 06-Nov-94 08:49:37 GMT",
      "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
      "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov  6 08:49:37 94", "Sun, 06 Nov -994 08:49:37 GMT", "1994-11-06T08:49:37Z",
      "e\u{301}", "Sün, 06 Nov 1994 08:49:37 GMT",
    ])
  func `nothing else is a date`(_ text: String) {
    #expect(HTTPDate(Array(text.utf8)[...], now: Self.now) == nil)
  }

  @Test func `a long text is no date`() {
    let text = "Sun,\(String(repeating: " ", count: 40))06 Nov 1994 08:49:37 GMT"
    #expect(HTTPDate(Array(text.utf8)[...], now: 0) == nil)
  }

  @Test(arguments: [0, 951_782_400, example, 4_107_542_399])
  func `what is written is read again`(_ seconds: Int64) {
    let date = HTTPDate(unixSeconds: seconds)
    #expect(HTTPDate(date.bytes[...], now: Self.now) == date)
  }
}
