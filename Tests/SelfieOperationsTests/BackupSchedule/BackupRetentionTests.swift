import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct BackupRetentionTests {
  /// A Friday, 22:24.
  private static let now = SettableClock.start
  private static let hour: Int64 = 3_600_000

  /// Which of the backups that were made every so many hours are kept, by their ages in hours.
  private func kept(_ text: String, count: Int64, every hours: Int64) throws -> [Int64] {
    let times = (0..<count).map { Self.now - $0 * hours * Self.hour }
    let expendable = try #require(BackupRetention(text)).expendable(times)
    return times.filter { !expendable.contains($0) }.map { (Self.now - $0) / Self.hour }
  }

  @Test func `the newest of each day and of each week stay, weeks beginning on Monday`() throws {
    let days: [Int64] = [0, 1, 2, 3, 4, 5, 6].map { $0 * 24 }
    #expect(try kept("7d,4w", count: 60, every: 24) == days + [12, 19].map { $0 * 24 })
    #expect(try kept("2d", count: 100, every: 1) == [0, 23])
    #expect(try kept("2w", count: 30, every: 24) == [0, 5 * 24])
  }

  @Test func `a number alone is one of backups, and the newest always stays`() throws {
    #expect(try kept("3", count: 10, every: 1) == [0, 1, 2])
    #expect(try kept("3, 2d", count: 48, every: 1) == [0, 1, 2, 23])
    #expect(try kept("1", count: 5, every: 100) == [0])
    #expect(try kept("7d", count: 3, every: 24 * 365) == [0, 24 * 365, 48 * 365])
    #expect(try #require(BackupRetention("1")).expendable([]) == [])
  }

  @Test(arguments: ["", "0", "d", "-1", "7d,", "7x", "7d4w", "1.5d", "99999999999999999999"])
  func `anything else is none`(_ text: String) {
    #expect(BackupRetention(text) == nil)
  }
}
