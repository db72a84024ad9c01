import SQL

extension SharedDatabase {
  /// Checks that writes succeed: notes an upload and forgets it, in one transaction, so that nobody else sees it. A server
  /// that only responds to reads may be a standby, or its disk may be full.
  func probe() async throws {
    let id = Value.text(Self.probeID)
    _ = try await write(
      [
        Query("INSERT INTO uploads (random_id, started_at) VALUES ($1, 0) ON CONFLICT DO NOTHING", id),
        Query("DELETE FROM uploads WHERE random_id = $1", id),
      ], nil)
  }

  /// Another one in each process, so that none waits for another. No photo has such an id.
  private static let probeID = ".probe-\(UInt64.random(in: .min ... .max))"
}
