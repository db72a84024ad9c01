import Platform
import SelfieAPI
import Testing

@Suite struct LogLineTests {
  private static let text = "a\nb\u{1b}[2J\u{9b}31m\u{202e}c"
  private static let escaped = "a\\nb\\u{1b}[2J\\u{9b}31m\\u{202e}c"

  @Test func `a line of text stays one line, and cannot control the terminal on which it is read`() {
    let line = LogLine.text(time: "now", level: "info", message: Self.text, metadata: [(name: "x", value: Self.text)])
    #expect(String(decoding: line, as: UTF8.self) == "now info \(Self.escaped) x=\(Self.escaped)\n")
  }

  @Test func `neither can a line of JSON, which has the same escapes`() {
    let line = LogLine.json(time: "now", level: "info", message: Self.text, metadata: [(name: "x", value: Self.text)])
    let escaped = Self.escaped.replacing("\\", with: "\\\\")
    #expect(
      String(decoding: line, as: UTF8.self)
        == "{\"time\":\"now\",\"level\":\"info\",\"message\":\"\(escaped)\",\"x\":\"\(escaped)\"}\n")
  }
}
