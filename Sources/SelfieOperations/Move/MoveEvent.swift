/// What a move reports while it runs.
public enum MoveEvent: Sendable, Equatable {
  /// So many rows of a table were looked at, before anything is written.
  case surveyed(table: String, rows: Int)
  /// So many rows of a table are in the target.
  case moved(table: String, rows: Int, of: Int)
  /// So many rows of a table are the same on both sides.
  case verified(table: String, rows: Int, of: Int)
  /// A row stays behind, or stops the move.
  case problem(MoveProblem)
}

/// What is on both sides at the end.
public struct MoveSummary: Sendable, Equatable {
  public struct Table: Sendable, Equatable {
    public let name: String
    public let rows: Int
    /// Of all values of all rows in their order, on both sides.
    public let sha256: [UInt8]
  }

  public internal(set) var tables: [Table] = []
  /// The bytes of all photos. Those of each were read on both sides, and compared by their SHA-256.
  public internal(set) var photoBytes: Int64 = 0
  /// The rows that were left behind, without what belongs to them.
  public internal(set) var problems = 0
}
