public import Synchronization

/// The names of a result's columns. A name is compared letter by letter only when a statement's rows are first asked
/// for it: then the address of the literal tells which column it means. `RowReader` reads the values of columns.
@usableFromInline
package final class ColumnNames: Sendable {
  private let names: [String]
  /// For each column, the address of the last literal that named it. `nonisolated(unsafe)` is right because the addresses
  /// are atomic, and because the memory lives as long as this object.
  @usableFromInline nonisolated(unsafe) let literals: UnsafeMutableBufferPointer<Atomic<UInt>>
  /// The column after the last one that was found: most are read in their order.
  @usableFromInline let next = Atomic(0)

  /// - Parameter names: in the order of the columns.
  package init(_ names: [String]) {
    self.names = names
    literals = .allocate(capacity: names.count)
    for column in literals.indices { literals.initializeElement(at: column, to: Atomic(0)) }
  }

  deinit {
    literals.deinitialize()
    literals.deallocate()
  }

  /// How many columns there are.
  package var count: Int { names.count }

  /// The number of the first column of this name; -1, which reads as NULL, if there is none.
  @inlinable
  package func position(of name: StaticString) -> Int32 {
    let (address, expected) = (UInt(bitPattern: name.utf8Start), next.load(ordering: .relaxed))
    if expected < literals.count, literals[expected].load(ordering: .relaxed) == address {
      next.store(expected &+ 1, ordering: .relaxed)
      return Int32(truncatingIfNeeded: expected)
    }
    for column in literals.indices where literals[column].load(ordering: .relaxed) == address {
      next.store(column &+ 1, ordering: .relaxed)
      return Int32(truncatingIfNeeded: column)
    }
    return find(name)
  }

  @usableFromInline
  func find(_ name: StaticString) -> Int32 {
    guard let column = names.firstIndex(of: name.description) else { return -1 }
    literals[column].store(UInt(bitPattern: name.utf8Start), ordering: .relaxed)
    return Int32(truncatingIfNeeded: column)
  }
}
