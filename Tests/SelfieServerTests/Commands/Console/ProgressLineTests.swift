import Glibc
import Platform
import TestSupport
import Testing

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
    try await run(["backup", "selfie.tar"], in: folder, showing: "Backing up: 1 of 1 photo, ")
    try await run(["backup", "--verify", "selfie.tar"], in: folder, showing: "Reading: ")
    try await run(["doctor"], in: folder, showing: "Checking: 1 of 1 photo")
    try await run(["restore", "selfie.tar", "--storage-dir", "other"], in: folder, showing: "Restoring: ")
  }
}
