import Cryptography
import Platform
import SQL
import SelfieAPI

/// A row as a move sees it.
struct MovedRow: Sendable {
  let key: RowKey
  /// The user to whom the row belongs; nil where the row is a user itself.
  let ownerID: Int64?
  /// What inserts the row. Its values are all that is compared of two rows.
  let insertion: Query
  /// The photo whose row this is.
  let photo: Photo?
  /// Whether a text has other bytes in its database than here.
  var hasInvalidText = false

  init(_ key: RowKey, of ownerID: Int64? = nil, _ insertion: Query, photo: Photo? = nil) {
    self.key = key
    self.ownerID = ownerID
    self.insertion = insertion
    self.photo = photo
  }

  init(of photo: Photo) {
    self.init(.id(photo.id), of: photo.userID, PhotoStore.insertion(of: photo), photo: photo)
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
    if hasNUL { return "a text has a NUL character, which PostgreSQL cannot store" }
    return hasInvalidText ? "a text is not UTF-8, so PostgreSQL cannot store it" : nil
  }

  /// Whether one of its texts has U+0000, which PostgreSQL cannot store.
  var hasNUL: Bool {
    insertion.values.contains { if case .text(let text) = $0 { text.hasNUL } else { false } }
  }
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
