/// Why a move has stopped. What it has moved so far stays, and the next run goes on behind it.
public enum MoveError: Error, Sendable, Equatable, CustomStringConvertible {
  /// So many rows cannot be moved.
  case invalidRows(Int)
  /// A table of the target has rows that the source does not have, or has in another form.
  case otherData(table: String)
  /// A table is not the same on both sides at the end.
  case unequal(table: String)
  /// The copy of a photo is not what was copied.
  case unequalCopy(id: String)

  public var description: String {
    switch self {
    case .invalidRows(let count):
      "\(count == 1 ? "1 row cannot" : "\(count) rows cannot") be moved. Mend what is named above, or give --skip-invalid "
        + "to leave it behind, with all that belongs to a user who stays."
    case .otherData(let table):
      """
      The target has other rows in \(table) than the source. Either it has data of its own, or a server has changed one \
      of the two since an earlier run: stop all servers, empty the target, and move again.
      """
    case .unequal(let table):
      "\(table) is not the same on both sides. A server has changed one of them meanwhile: stop all, and run this again."
    case .unequalCopy(let id):
      "The copy of the photo \(id) is not what was copied. Run this again; nothing refers to that copy."
    }
  }
}

/// A row that cannot be moved.
public struct MoveProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public let table: String
  public let id: Int64
  public let reason: String

  init(table: MovedTable, id: Int64, _ reason: String) {
    self.table = table.name
    self.id = id
    self.reason = reason
  }

  public var description: String { "\(table) \(id): \(reason)" }
}
