/// The rows that stay behind since they cannot be moved, and what belongs to users who stay.
struct SkippedRows: Sendable {
  private var keys: [String: Set<RowKey>] = [:]

  mutating func insert(_ row: MovedRow, of table: MovedTable) {
    keys[table.name, default: []].insert(row.key)
  }

  func contains(_ row: MovedRow, of table: MovedTable) -> Bool {
    if keys[table.name]?.contains(row.key) == true { return true }
    guard let ownerID = row.ownerID, let owners = table.owners.flatMap({ keys[$0] }) else { return false }
    return owners.contains(.id(ownerID))
  }
}
