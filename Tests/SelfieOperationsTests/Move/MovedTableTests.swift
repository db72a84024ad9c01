import SQL
import Testing

@testable import SelfieOperations

@Suite struct `A row that is moved` {
  private static func row(_ id: Int64, _ values: Value...) -> MovedRow {
    MovedRow(key: RowKey(id: id), insertion: Query("", values: [.integer(id)] + values))
  }

  @Test func `has bytes that depend on the kind and the end of each value`() {
    let rows = [
      Self.row(1, "ab", "c"), Self.row(1, "a", "bc"), Self.row(1, "abc", ""), Self.row(1, "", "abc"),
      Self.row(1, "abc", nil), Self.row(1, nil, "abc"), Self.row(1, .blob(Array("abc".utf8)), nil), Self.row(1, 0, nil),
      Self.row(1, .blob([]), nil), Self.row(1, "", nil), Self.row(1, nil, nil), Self.row(2, nil, nil),
      Self.row(-1, nil, nil),
    ]
    #expect(Set(rows.map(\.bytes)).count == rows.count)
    #expect(Self.row(7, "é", nil).bytes == Self.row(7, "é", nil).bytes)
    // Texts that Swift takes for equal may have other bytes.
    #expect(Self.row(7, "\u{e9}").bytes != Self.row(7, "e\u{301}").bytes)
  }

  @Test func `has a NUL or none`() {
    #expect(Self.row(1, "a\0b").problem?.contains("NUL") == true)
    #expect(Self.row(1, "ab", nil, .blob([0])).problem == nil)
  }

  @Test func `is missing in the target, or the same there`() throws {
    func missing(_ source: MovedRow..., target: MovedRow, skipping skipped: RowKey? = nil) throws -> [RowKey] {
      try MovedTable.photos.missing(source, in: [target]) { $0.key == skipped }.map(\.key)
    }
    let (first, second) = (Self.row(1, "a"), Self.row(2, "b"))
    #expect(try missing(first, second, target: first) == [RowKey(id: 2)])
    #expect(try missing(first, second, target: first, skipping: RowKey(id: 2)).isEmpty)
    for other in [Self.row(1, "b"), Self.row(3, "a")] {
      #expect(throws: OperationError.self) { try missing(first, target: other) }
    }
  }

  @Test func `comes after those with lesser keys, as in both databases`() {
    let keys = ([-1, 0, 7, .max] as [Int64]).map { RowKey(id: $0) }
    #expect(keys.shuffled().sorted() == keys)
    let digests = ([[0, 255], [1, 0], [1, 1], [255, 0]] as [[UInt8]]).map { RowKey(digest: $0) }
    #expect(digests.shuffled().sorted() == digests)
  }
}
