import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// The commands that the pages show are pasted into a shell, with texts that anybody may have sent.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Chromium.isInstalled)) struct ShellQuotingTests {
  private static let texts = [
    "plain", "two words", "it's", "$(id) `id` ${HOME} $HOME", "!! \\ \\n", "\"; id #", "a\nid\n", "\u{1b}[201~\u{7}",
    "-o/tmp/x",
    "$API_AUTH_PASSWORDS", "ü € 🙂", "~ * ? [a] {b,c}",
  ]

  @Test func `the shell passes on each text as it was`() async throws {
    let page = try await PageServer.shared().page("/")
    for text in Self.texts {
      let literal = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
      for function in ["quoted", "variable"] {
        let word = try await page.evaluate("import('/pages/curl.js').then(({\(function)}) => \(function)(\(literal)))")
        #expect(try await shell("printf %s \(word.text ?? "")") == text, "\(function)")
      }
    }
    let token = try await page.evaluate("import('/pages/curl.js').then(({variable}) => variable('a=$TOKEN $(id)'))")
    #expect(try await shell("TOKEN='my token'; printf %s \(token.text ?? "")") == "a=my token $(id)")
    try await page.close()
  }

  /// What bash prints when it runs a command.
  private func shell(_ command: String) async throws -> String {
    let output = try ProgramPipe()
    let program = try Program(
      "/bin/bash", ["-c", command], environment: ["PATH": "/usr/bin:/bin"], output: output.writing,
      errors: output.writing)
    close(output.writing)
    return try await Blocking.run {
      defer { withExtendedLifetime(program) {} }
      let file = OpenFile(owning: output.reading)
      var text: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 4096)
      while case let count = read(file.descriptor, &block, block.count), count > 0 { text += block[..<count] }
      return String(decoding: text, as: UTF8.self)
    }
  }
}
