import APITestSupport
import HTTPMessages
import SQL

extension APIFixture {
  /// Lets time pass, by the clock of whoever counts attempts.
  func pass(seconds: Int64) async throws {
    clock.advance(seconds: seconds)
    try await Self.ageAttempts(seconds: seconds)
  }

  /// Makes all that a shared database has counted older.
  static func ageAttempts(seconds: Int64) async throws {
    _ = try await TestDatabase.shared?.write(
      [
        Query(
          """
          UPDATE guesses SET used_at = used_at - $1, times = ARRAY(SELECT time - $1 FROM unnest(times) AS time)
          """, .integer(seconds * 1000))
      ], nil)
  }
}

extension Response {
  /// Whether a client is told to wait for so long. A shared database's clock goes on while a test runs.
  func tellsToWait(seconds: Int) -> Bool {
    guard let told = fields["Retry-After"].flatMap({ Int($0) }) else { return false }
    return TestDatabase.shared == nil ? told == seconds : (seconds - 60...seconds).contains(told)
  }
}
