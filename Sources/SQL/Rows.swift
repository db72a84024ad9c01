/// Rows that were fetched. Unlike a `Row` in SQLite, which a statement lends, they can be kept and passed to another
/// thread.
package struct Rows: Sendable {
  private let cells: Cells
  private let columns: ColumnNames

  /// `@unchecked Sendable` is right because the memory does not change, and because it lives as long as its owner,
  /// which is Sendable.
  private enum Cells: @unchecked Sendable {
    case values([Value])
    case borrowed([UnsafeRawBufferPointer?], owner: any AnyObject & Sendable)
  }

  /// - Parameter values: of all rows, one row after the other.
  package init(values: [Value], columns: ColumnNames) {
    cells = .values(values)
    self.columns = columns
  }

  /// Rows in the memory of `owner`, such as a result of a database's client library.
  ///
  /// - Parameter cells: of all rows, one row after the other; nil is NULL. Integers have up to eight bytes, in network
  ///   byte order. The memory does not change as long as `owner` lives.
  package init(of owner: any AnyObject & Sendable, cells: [UnsafeRawBufferPointer?], columns: ColumnNames) {
    self.cells = .borrowed(cells, owner: owner)
    self.columns = columns
  }

  private var cellCount: Int {
    switch cells {
    case .values(let values): values.count
    case .borrowed(let cells, _): cells.count
    }
  }
}

extension Rows: RandomAccessCollection {
  package var startIndex: Int { 0 }

  package var endIndex: Int {
    columns.count > 0 ? cellCount / columns.count : 0
  }

  package subscript(position: Int) -> Row {
    precondition(indices.contains(position), "there is no row \(position)")
    return Row(rows: self, firstCell: position * columns.count)
  }
}

extension Rows {
  /// One of the rows, which keeps all of them.
  package struct Row: RowReader, Sendable {
    fileprivate let rows: Rows
    fileprivate let firstCell: Int

    package func position(of name: StaticString) -> Int32 { rows.columns.position(of: name) }

    package func isNull(_ column: Int32) -> Bool {
      guard let cell = cell(column) else { return true }
      return switch rows.cells {
      case .values(let values): values[cell] == .null
      case .borrowed(let cells, _): cells[cell] == nil
      }
    }

    package func integer(_ column: Int32) -> Int64 {
      if case .values(let values) = rows.cells {
        return if let cell = cell(column), case .integer(let number) = values[cell] { number } else { 0 }
      }
      return withTextBytes(column) { bytes in
        bytes.reduce(Int64(Int8(bitPattern: bytes.first ?? 0) < 0 ? -1 : 0)) { $0 << 8 | Int64($1) }
      }
    }

    package func blob(_ column: Int32) -> [UInt8] {
      withTextBytes(column) { [UInt8]($0) }
    }

    @discardableResult
    package func withTextBytes<Result>(
      _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
      let none = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
      guard let cell = cell(column) else { return try body(none) }
      switch rows.cells {
      case .values(let values): return try values[cell].withBytes(body)
      case .borrowed(let cells, let owner):
        // The owner must not be released before `body` returns, though nothing after this line names it.
        defer { withExtendedLifetime(owner) {} }
        return try body(cells[cell]?.assumingMemoryBound(to: UInt8.self) ?? none)
      }
    }

    private func cell(_ column: Int32) -> Int? {
      column >= 0 && column < rows.columns.count ? firstCell + Int(column) : nil
    }
  }
}
