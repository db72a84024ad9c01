import SQL
import Testing

@Suite struct RowsTests {
  private static let values: [Value] = [1, "naïve 🤳", .blob([0, 255]), nil, .integer(.min), "", .blob([]), "a\0b"]
  /// The same in the memory of another object.
  private static let cells: [[UInt8]?] = [
    [0, 1], Array("naïve 🤳".utf8), [0, 255], nil, [128, 0, 0, 0, 0, 0, 0, 0], [], [], Array("a\0b".utf8),
  ]

  @Test(arguments: [
    Rows(values: RowsTests.values, columns: .four), Memory.rows(RowsTests.cells, columns: .four),
  ])
  func `values read as what they were stored as`(rows: Rows) throws {
    #expect(rows.count == 2)
    let (first, last) = (try #require(rows.first), try #require(rows.last))
    #expect(first.integer(0) == 1)
    #expect(first.text(1) == "naïve 🤳")
    #expect(first.blob(2) == [0, 255])
    #expect((0...3).map { first.isNull($0) } == [false, false, false, true])
    #expect(last.integer(0) == .min)
    #expect(last.text(1) == "")
    #expect(last.blob(2) == [])
    #expect((0...3).map { last.isNull($0) } == [false, false, false, false])
    #expect(last.withTextBytes(3) { Array($0) } == Array("a\0b".utf8))
  }

  @Test(arguments: [
    Rows(values: [nil], columns: .one), Memory.rows([nil], columns: .one),
  ])
  func `NULL, and a column that is not there, reads as nothing`(rows: Rows) throws {
    let row = try #require(rows.first)
    for column in [0, 1, -1] as [Int32] {
      #expect(row.isNull(column))
      #expect(row.integer(column) == 0)
      #expect(row.text(column) == nil)
      #expect(row.blob(column) == [])
      #expect(row.withTextBytes(column) { $0.isEmpty })
    }
  }

  @Test(arguments: [
    Rows(values: RowsTests.values, columns: .four), Memory.rows(RowsTests.cells, columns: .four),
  ])
  func `a column is found by its name, the first time and the next`(rows: Rows) {
    let names = rows.map { row in [row["text"], row["nothing"], row["no_such_name"]] as [String?] }
    #expect(names == [["naïve 🤳", nil, nil], ["", "a\0b", nil]])
    #expect(rows.map { $0["number"] as Int64 } == [1, .min])
    #expect(rows.map { [$0.isNull("nothing"), $0.isNull("no_such_name")] } == [[true, true], [false, true]])
    #expect(rows.map { $0.withTextBytes("text") { $0.count } } == [11, 0])
  }

  @Test(
    arguments: [
      ([0xff, 0xfe], -2), ([0x7f, 0xff], 32_767), ([0x80, 0, 0, 0], -2_147_483_648), ([0, 0, 1, 0], 256),
      ([0, 0, 0, 1, 0, 0, 0, 0], 4_294_967_296),
    ] as [([UInt8], Int64)])
  func `an integer keeps its sign whatever its width is`(bytes: [UInt8], number: Int64) {
    #expect(Memory.rows([bytes], columns: .one).first?.integer(0) == number)
  }

  @Test func `a statement without rows has none`() {
    #expect(Rows(values: [], columns: ColumnNames([])).isEmpty)
    #expect(Memory.rows([], columns: .four).isEmpty)
  }

  @Test func `a row keeps the memory in which its values are`() {
    var rows: Rows? = Memory.rows([Array("kept".utf8)], columns: .one)
    let row = rows?.first
    rows = nil
    #expect(row?.text(0) == "kept")
  }
}

extension ColumnNames {
  fileprivate static var one: ColumnNames { ColumnNames(["number"]) }
  fileprivate static var four: ColumnNames { ColumnNames(["number", "text", "bytes", "nothing"]) }
}

/// Values one after the other, which are overwritten when their object goes.
private final class Memory: Sendable {
  private nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer

  static func rows(_ cells: [[UInt8]?], columns: ColumnNames) -> Rows {
    let memory = Memory(cells.flatMap { $0 ?? [] })
    var end = 0
    let borrowed = cells.map { cell -> UnsafeRawBufferPointer? in
      guard let cell else { return nil }
      defer { end += cell.count }
      return UnsafeRawBufferPointer(rebasing: memory.bytes[end..<end + cell.count])
    }
    return Rows(of: memory, cells: borrowed, columns: columns)
  }

  private init(_ content: [UInt8]) {
    bytes = .allocate(byteCount: content.count + 1, alignment: 1)
    bytes.copyBytes(from: content)
  }

  deinit {
    for index in bytes.indices { bytes[index] = UInt8(ascii: "?") }
    bytes.deallocate()
  }
}
