/// Values in the memory of an object, which they keep.
///
/// `@unchecked Sendable` is right because the memory does not change, and because it lives as long as its owner, which is
/// Sendable.
struct BorrowedCells: @unchecked Sendable {
  private let owner: any AnyObject & Sendable
  private let cells: [UnsafeRawBufferPointer?]

  init(owner: any AnyObject & Sendable, cells: [UnsafeRawBufferPointer?]) {
    self.owner = owner
    self.cells = cells
  }

  var count: Int { cells.count }

  func isNull(_ index: Int) -> Bool { cells[index] == nil }

  /// An integer in network byte order, sign-extended from its width.
  func integer(_ index: Int) -> Int64 {
    withBytes(index) { bytes in
      bytes.reduce(Int64(Int8(bitPattern: bytes.first ?? 0) < 0 ? -1 : 0)) { $0 << 8 | Int64($1) }
    }
  }

  func withBytes<Result>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    // The owner must not be released before `body` returns, though nothing behind this line names it.
    defer { withExtendedLifetime(owner) {} }
    return try body(cells[index]?.assumingMemoryBound(to: UInt8.self) ?? UnsafeBufferPointer(start: nil, count: 0))
  }
}
