import Foundation
import Logging
import Testing

@testable import SelfieServer

@Suite struct LogLineTests {
  private static let text = "a\nb\u{1b}[2J\u{9b}31m\u{202e}c"
  private static let escaped = "a\\nb\\u{1b}[2J\\u{9b}31m\\u{202e}c"

  private func line(_ format: Settings.LogFormat, _ fields: [(String, Logger.Metadata.Value)]) -> String {
    var line = LogLine(format, level: "info", message: Self.text)
    for (name, value) in fields { line.field(text: name, value) }
    line.end()
    return line.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a line stays one line, and cannot control the terminal on which it is read, in JSON neither`() {
    #expect(line(.text, [("x", .string(Self.text))]) == "info \(Self.escaped) x=\(Self.escaped)\n")
    let escaped = Self.escaped.replacing("\\", with: "\\\\")
    #expect(
      line(.json, [("x", .string(Self.text))])
        == "\"level\":\"info\",\"message\":\"\(escaped)\",\"x\":\"\(escaped)\"}\n")
  }

  @Test func `numbers are numbers in JSON, and digits of a text are not`() {
    #expect(line(.json, [("x", .stringConvertible(Int64.min))]).hasSuffix(",\"x\":-9223372036854775808}\n"))
    #expect(line(.text, [("x", .stringConvertible(-1))]).hasSuffix(" x=-1\n"))
    #expect(line(.json, [("x", "7")]).hasSuffix(",\"x\":\"7\"}\n"))
  }

  @Test(arguments: [
    (0, "0.000000"), (999, "0.000000"), (1_000, "0.000001"), (1_234_567_000, "1.234567"), (60_000_000_000, "60.000000"),
  ])
  func `a duration is in seconds`(nanoseconds: Int64, text: String) {
    var line = LogLine(.text, level: "info", message: "request", isPlain: true)
    line.field("duration", nanoseconds: nanoseconds)
    #expect(line.withBytes { String(decoding: $0, as: UTF8.self) } == "info request duration=\(text)")
  }

  @Test func `each line begins with the time of its millisecond`() {
    var time = LogTime()
    for (now, text) in [(0, "00.000"), (0, "00.000"), (59_999, "59.999"), (1, "00.001")] as [(Int64, String)] {
      let prefix = String(decoding: time.prefix(.text, unixMilliseconds: now), as: UTF8.self)
      #expect(prefix == "1970-01-01T00:00:\(text)Z ")
    }
    var json = LogTime()
    let prefix = String(decoding: json.prefix(.json, unixMilliseconds: 0), as: UTF8.self)
    #expect(prefix == "{\"time\":\"1970-01-01T00:00:00.000Z\",")
  }
}
