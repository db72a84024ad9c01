import Glibc
import Platform
import TestSupport
import Testing

@testable import SelfieServer

@Suite struct TableTests {
  @Test func `columns are aligned by their letters`() {
    let table = Terminal.table(
      [.text("NAME"), .number("N"), .text("LAST")], [["Jo\u{301}e", "1", "x"], ["ab", "100", "yy"]])
    #expect(table == "NAME    N  LAST\nJo\u{301}e     1  x\nab    100  yy\n")
  }

  @Test func `a long cell is shortened, and one that is needed whole is not`() {
    let long = String(repeating: "é", count: 41)
    let table = Terminal.table([.text("A"), .whole("B")], [[long, long]])
    #expect(table.hasSuffix(String(repeating: "é", count: 39) + "…  " + long + "\n"), "\(table)")
  }

  @Test func `the longest texts are shortened until a table fits, and nothing that is needed whole`() {
    let cells = [String(repeating: "a", count: 20), String(repeating: "b", count: 12), "whole@example.com"]
    let table = Terminal.table([.text("A"), .text("B"), .whole("C")], [cells], width: 40)
    #expect(table.hasSuffix("\naaaaaaaa…  bbbbbbbbb…  whole@example.com\n"), "\(table)")
    #expect(
      Terminal.table([.text("A"), .text("B"), .whole("C")], [cells], width: 5).contains(
        "aaaaaaa…  bbbbbbb…  whole"))
  }

  @Test func `no title and no cell controls the terminal`() {
    let hostile = "\u{1b}[2J\n\r\u{9b}\u{202e}"
    let escaped = "\\u{1b}[2J\\n\\u{d}\\u{9b}\\u{202e}"
    #expect(Terminal.table([.text(hostile)], [[hostile]]) == "\(escaped)\n\(escaped)\n")
  }
}

/// What commands that take long show on a terminal.
@Suite(.timeLimit(.minutes(10))) struct ProgressLineTests {
  private func run(_ arguments: [String], in folder: TemporaryFolder, showing text: String) async throws {
    let terminal = try PseudoTerminal()
    let output = try OpenFile("/dev/null", O_WRONLY)
    let command = try Program(
      ServerProcess.executable, arguments + ["--home", "."], environment: [:], in: folder.path,
      output: output.descriptor, errors: terminal.descriptor)
    try await terminal.awaitText("\r\(text)")
    let status = try await Blocking.run { command.end() }
    #expect(status == 0, "\(arguments)")
    // The line is empty at the end.
    write(terminal.descriptor, "end", 3)
    let screen = try await terminal.awaitText("end")
    #expect(screen.hasSuffix("\r\u{1b}[Kend"), "\(arguments): \(screen.debugDescription)")
  }

  @Test func `backup, restore and doctor say how far they have come`() async throws {
    let server = try ServerProcess()
    let app = try await server.appOfNewUser()
    try await app.postBtnTapped(image: PNG.random(12_000))
    await server.stop()
    let folder = server.folder
    try await run(["backup", "selfie.tar"], in: folder, showing: "Backing up: 0 of 1 photo, ")
    try await run(["backup", "--verify", "selfie.tar"], in: folder, showing: "Reading: ")
    try await run(["doctor"], in: folder, showing: "Checking: 1 of 1 photo")
    try await run(["restore", "selfie.tar", "--storage-dir", "other"], in: folder, showing: "Reading: ")
  }
}
