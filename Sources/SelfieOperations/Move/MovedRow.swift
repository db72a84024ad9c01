import Platform
import SQL
import SelfieAPI

/// The key of a row: its id or a digest, which is as long as all others of its table. Both databases have the rows of a
/// table in the order of these keys. `MovedTable` reads the rows.
struct RowKey: Sendable, Hashable, Comparable {
  var id: Int64 = 0
  var digest: [UInt8] = []

  static func < (left: RowKey, right: RowKey) -> Bool {
    left.id < right.id || left.id == right.id && left.digest.lexicographicallyPrecedes(right.digest)
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
    MovedRow(key: RowKey(id: photo.id), ownerID: photo.userID, insertion: photo.insertion, photo: photo)
  }

  /// All values. No two different rows have the same bytes, not even if Swift takes their texts for equal.
  var bytes: [UInt8] {
    insertion.values.flatMap { value -> [UInt8] in
      switch value {
      case .null: [0]
      case .integer(let number): [1] + Self.bigEndian(number)
      case .text(let text): [2] + Self.bigEndian(Int64(text.utf8.count)) + Array(text.utf8)
      case .blob(let bytes): [3] + Self.bigEndian(Int64(bytes.count)) + bytes
      }
    }
  }

  private static func bigEndian(_ number: Int64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

  /// Why it cannot be moved; nil if it can.
  var problem: String? {
    let hasNUL = insertion.values.contains { if case .text(let text) = $0 { text.hasNUL } else { false } }
    if hasNUL { return "a text has a NUL character, which PostgreSQL cannot store" }
    return hasInvalidText ? "a text is not UTF-8, so PostgreSQL cannot store it" : nil
  }
}

/// A row that cannot be moved.
package struct MoveProblem: Error, Equatable, CustomStringConvertible {
  let table: String
  let id: Int64
  let reason: String

  package var description: String { "\(table) \(id): \(reason)" }
}
