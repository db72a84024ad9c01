/// What names a row of a table. Both databases have the rows in the order of these keys.
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
