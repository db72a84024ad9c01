/// Rows that were fetched. Unlike the rows that a statement lends, they can be kept and passed to another thread.
public struct Rows: Sendable {
  /// How many rows an INSERT, UPDATE or DELETE has changed.
  public let changes: Int64

  private let cells: Cells
  private let columns: Int

  private enum Cells: Sendable {
    case values([Value])
    case borrowed(BorrowedCells)
  }

  /// - Parameter values: of all rows, one row behind the other.
  public init(values: [Value], columns: Int, changes: Int64) {
    cells = .values(values)
    self.columns = columns
    self.changes = changes
  }

  /// Rows in the memory of `owner`, such as a result of a database's client library.
  ///
  /// - Parameter cells: of all rows, one row behind the other; nil is NULL. Integers have up to eight bytes, in network
  ///   byte order. The memory does not change as long as `owner` lives.
  public init(of owner: any AnyObject & Sendable, cells: [UnsafeRawBufferPointer?], columns: Int, changes: Int64) {
    self.cells = .borrowed(BorrowedCells(owner: owner, cells: cells))
    self.columns = columns
    self.changes = changes
  }

  private var cellCount: Int {
    switch cells {
    case .values(let values): values.count
    case .borrowed(let cells): cells.count
    }
  }
}

extension Rows: RandomAccessCollection {
  public var startIndex: Int { 0 }

  public var endIndex: Int {
    columns > 0 ? cellCount / columns : 0
  }

  public subscript(position: Int) -> Row {
    precondition(indices.contains(position), "there is no row \(position)")
    return Row(rows: self, firstCell: position * columns)
  }
}

extension Rows {
  /// One of the rows, which keeps all of them.
  public struct Row: RowReader, Sendable {
    fileprivate let rows: Rows
    fileprivate let firstCell: Int

    public func isNull(_ column: Int32) -> Bool {
      guard let cell = cell(column) else { return true }
      return switch rows.cells {
      case .values(let values): values[cell] == .null
      case .borrowed(let cells): cells.isNull(cell)
      }
    }

    public func integer(_ column: Int32) -> Int64 {
      guard let cell = cell(column) else { return 0 }
      return switch rows.cells {
      case .values(let values): if case .integer(let number) = values[cell] { number } else { 0 }
      case .borrowed(let cells): cells.integer(cell)
      }
    }

    public func text(_ column: Int32) -> String? {
      isNull(column) ? nil : withTextBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    public func blob(_ column: Int32) -> [UInt8] {
      withTextBytes(column) { [UInt8]($0) }
    }

    @discardableResult
    public func withTextBytes<Result>(
      _ column: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result {
      guard let cell = cell(column) else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
      return switch rows.cells {
      case .values(let values): try values[cell].withBytes(body)
      case .borrowed(let cells): try cells.withBytes(cell, body)
      }
    }

    private func cell(_ column: Int32) -> Int? {
      column >= 0 && column < rows.columns ? firstCell + Int(column) : nil
    }
  }
}
