import Cryptography
import SQL
import SelfieAPI

/// The key of a row. Both databases have the rows of a table in the order of these keys.
enum RowKey: Sendable, Hashable, Comparable {
  case id(Int64)
  /// As long as all others of its table.
  case digest([UInt8])

  static func < (left: RowKey, right: RowKey) -> Bool {
    switch (left, right) {
    case (.id(let left), .id(let right)): left < right
    case (.digest(let left), .digest(let right)): left.lexicographicallyPrecedes(right)
    case (.id, .digest): true
    case (.digest, .id): false
    }
  }
}

/// A row as a move sees it.
struct MovedRow: Sendable {
  let key: RowKey
  /// The user to whom the row belongs; nil where the row is a user itself.
  var ownerID: Int64?
  /// Inserts the row. Its values are all that is compared of two rows.
  let insertion: Query
  /// The photo whose row this is.
  var photo: Photo?
  /// Whether a text has other bytes in its database than here.
  var hasInvalidText = false

  static func row(of photo: Photo) -> MovedRow {
    MovedRow(key: .id(photo.id), ownerID: photo.userID, insertion: PhotoStore.insertion(of: photo), photo: photo)
  }

  /// Whether both have the same bytes. Texts that are equal to Swift may have others.
  func isEqual(to other: MovedRow) -> Bool {
    key == other.key
      && insertion.values.elementsEqual(other.insertion.values) { one, other in
        if case .text(let one) = one, case .text(let other) = other { return one.utf8.elementsEqual(other.utf8) }
        return one == other
      }
  }

  /// Why it cannot be moved; nil if it can.
  var problem: String? {
    let hasNUL = insertion.values.contains { if case .text(let text) = $0 { text.hasNUL } else { false } }
    if hasNUL { return "a text has a NUL character, which PostgreSQL cannot store" }
    return hasInvalidText ? "a text is not UTF-8, so PostgreSQL cannot store it" : nil
  }
}

/// A row that cannot be moved.
public struct MoveProblem: Error, Equatable, CustomStringConvertible {
  let table: String
  let id: Int64
  let reason: String

  public var description: String { "\(table) \(id): \(reason)" }
}

extension SHA256 {
  /// Adds all values of a row. No two different rows add the same bytes.
  mutating func update(_ row: MovedRow) {
    for value in row.insertion.values {
      switch value {
      case .null: update([0])
      case .integer(let number): update([1] + Self.bigEndian(UInt64(bitPattern: number)))
      case .text(let text): update([2] + Self.bigEndian(UInt64(text.utf8.count)) + Array(text.utf8))
      case .blob(let bytes): update([3] + Self.bigEndian(UInt64(bytes.count)) + bytes)
      }
    }
  }

  private static func bigEndian(_ number: UInt64) -> [UInt8] {
    stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
