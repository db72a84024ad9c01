import Glibc
import Platform
import TestSupport
import Testing

@Suite struct PrintableTextTests {
  @Test(arguments: [
    ("plain text, Ärger, 写真, 👩‍👧", "plain text, Ärger, 写真, 👩‍👧"), ("a\nb\r\tc", "a\\nb\\u{d}\\u{9}c"),
    ("\u{1b}[2J", "\\u{1b}[2J"), ("\u{7f}\u{9b}31m", "\\u{7f}\\u{9b}31m"),
    ("\u{202e}gpj.exe", "\\u{202e}gpj.exe"), ("\u{2066}\u{2069}\u{200f}", "\\u{2066}\\u{2069}\\u{200f}"),
    ("\u{2028}\u{2029}\u{85}", "\\u{2028}\\u{2029}\\u{85}"), ("\r\n", "\\u{d}\\n"),
  ])
  func `what could control a terminal or end a line is escaped`(_ text: String, _ printable: String) {
    #expect(text.printable == printable)
    #expect(String(printable: Array(text.utf8)) == printable)
  }

  @Test(
    arguments: [
      ("{\"a\":\"\u{9b}31m\u{7f}\u{202e}\"}", #"{"a":"\u009b31m\u007f\u202e"}"#),
      ("{\n\t\"Ä\": 1}\n", "{\n\t\"Ä\": 1}\n"),
    ] as [(String, String)])
  func `what could control a terminal is escaped in JSON as JSON does it`(_ json: String, _ escaped: String) {
    #expect(String(decoding: Array(json.utf8).printableJSON, as: UTF8.self) == escaped)
  }

  @Test func `bytes that are not UTF-8 are escaped one by one`() {
    #expect(
      String(printable: [0x61, 0xff, 0xc3, 0xa4, 0xc3, 0x28, 0xed, 0xa0, 0x80]) == "a\\xffä\\xc3(\\xed\\xa0\\x80")
    #expect(String(printable: []) == "")
  }

  @Test func `a folder is removed whatever the names in it are`() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("tree")
    let name: [UInt8] = Array("\(folder.path)/tree/".utf8) + [0xff, 0x0a, 0]
    let path = name.map { CChar(bitPattern: $0) }
    try #require(mkdir(path, 0o700) == 0)
    let file = open(path.dropLast() + "/\u{1b}".utf8CString, O_WRONLY | O_CREAT, 0o600)
    try #require(file >= 0)
    close(file)
    try FileSystem.removeTree("\(folder.path)/tree")
    #expect(!folder.exists("tree"))
  }
}
