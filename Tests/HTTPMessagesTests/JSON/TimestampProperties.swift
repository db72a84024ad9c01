import Foundation
import TestSupport
import Testing

@testable import HTTPMessages

@Suite struct TimestampProperties {
  private func written(_ milliseconds: Int64) -> String {
    var buffer = ByteBuffer(capacity: 0)
    Timestamp.append(milliseconds, to: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (999, "1970-01-01T00:00:00.999Z"), (1000, "1970-01-01T00:00:01.000Z"), (-1000, "1969-12-31T23:59:59.000Z"),
      (951_782_399_999, "2000-02-28T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (951_868_800_000, "2000-03-01T00:00:00.000Z"), (978_307_199_999, "2000-12-31T23:59:59.999Z"),
      (1_709_164_800_000, "2024-02-29T00:00:00.000Z"), (1_795_213_456_641, "2026-11-20T22:24:16.641Z"),
      (2_147_483_647_999, "2038-01-19T03:14:07.999Z"), (2_147_483_648_000, "2038-01-19T03:14:08.000Z"),
      (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (7_258_118_399_999, "2199-12-31T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      // Too far away for a year of four digits: the nearest with one.
      (253_402_300_800_000, "9999-12-31T23:59:59.999Z"), (.max - 1, "9999-12-31T23:59:59.999Z"),
      (.max, "9999-12-31T23:59:59.999Z"), (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
      (-62_167_219_200_001, "0000-01-01T00:00:00.000Z"), (.min, "0000-01-01T00:00:00.000Z"),
    ] as [(Int64, String)])
  func `a time is written as clients read it`(milliseconds: Int64, expected: String) {
    #expect(written(milliseconds) == expected)
  }

  @Test func `every time from 1970 to 2200 is Foundation's`() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
    var generator = SplitMix64(seed: 3)
    for _ in 0..<5_000 {
      let milliseconds = Int64.random(in: 0..<7_258_118_400_000, using: &generator)
      let date = Date(timeIntervalSince1970: TimeInterval(milliseconds / 1000))
      let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
      let expected = String(
        format: "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0,
        parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0, Int(milliseconds % 1000))
      #expect(written(milliseconds) == expected)
    }
  }
}
