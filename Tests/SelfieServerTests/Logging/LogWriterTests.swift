import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import SelfieServerCommands

@Suite(.timeLimit(.minutes(10))) struct LogWriterTests {
  private func line(_ text: String) -> LogLine {
    var line = LogLine(.text, level: "info", message: text)
    line.end()
    return line
  }

  /// What follows the time and the level.
  private func messages(_ lines: [String]) -> [Substring] {
    lines.map { $0.dropFirst("1970-01-01T00:00:00.000Z info ".count) }
  }

  @Test func `lines come in their order, before, while and after the thread writes them`() async throws {
    let pipe = try ProgramPipe()
    let lines = try Lines(of: pipe.reading)
    let writer = LogWriter(.text, descriptor: pipe.writing)
    writer.write(line("0"), .notable)
    try writer.start()
    for number in 1..<5_000 { writer.write(line("\(number)"), .routine) }
    writer.stop()
    writer.write(line("5000"), .notable)
    close(pipe.writing)
    #expect(messages(await lines.all()) == (0...5_000).map { "\($0)"[...] })
  }

  @Test func `lines of many threads never mix, and those of each are in order`() async throws {
    let pipe = try ProgramPipe()
    let lines = try Lines(of: pipe.reading)
    let writer = LogWriter(.text, descriptor: pipe.writing)
    try writer.start()
    let threads = try (0..<4).map { thread in
      try Platform.Thread(named: "test") {
        for number in 0..<2_000 {
          var line = LogLine(
            .text, level: "info", message: "\(thread) \(number) \(String(repeating: "x", count: number % 90))")
          line.end()
          writer.write(line, .routine)
        }
      }
    }
    for thread in threads { thread.join() }
    writer.stop()
    close(pipe.writing)
    let words = messages(await lines.all()).map { $0.split(separator: " ") }
    for thread in 0..<4 {
      let own = words.filter { $0.first == "\(thread)" }
      #expect(own.map { $0[1] } == (0..<2_000).map { "\($0)"[...] })
      #expect(own.enumerated().allSatisfy { ($1.count > 2 ? $1[2].count : 0) == $0 % 90 })
    }
    #expect(words.count == 8_000)
  }

  @Test func `what a reader that stalls does not take is counted, and logged when it reads again`() async throws {
    let pipe = try ProgramPipe()
    let writer = LogWriter(.text, descriptor: pipe.writing, maxPendingBytes: 16 * 1024)
    try writer.start()
    let count = 10_000
    // Nobody reads yet. None of these waits, or the test would not end.
    for number in 0..<count { writer.write(line("\(number)"), .routine) }
    writer.write(line("an error"), .notable)
    let lines = try Lines(of: pipe.reading)
    #expect(await lines.first { $0.contains(" warning ") && $0.contains("were dropped") } != nil)
    // There may be room for no other yet.
    writer.write(line("again"), .notable)
    writer.stop()
    close(pipe.writing)
    let all = await lines.all()
    let reports = all.filter { $0.contains("were dropped") }
    let number = reports.compactMap { $0.split(separator: "count=").last.flatMap { Int($0) } }.reduce(0, +)
    #expect(number > 0)
    #expect(all.count - reports.count == count - number + 2)
    // Those before the stall are whole and in order.
    let kept = messages(all).compactMap { Int($0) }
    #expect(kept.count == count - number && kept == kept.sorted())
    #expect(all.contains { $0.hasSuffix("an error") } && all.contains { $0.hasSuffix("again") })
  }

  @Test func `a reader that stalls does not keep the server from its end`() async throws {
    let pipe = try ProgramPipe()
    let writer = LogWriter(.text, descriptor: pipe.writing, stopTimeout: 1)
    try writer.start()
    for number in 0..<5_000 { writer.write(line("\(number)"), .routine) }
    writer.stop()
    // It waits for nobody any more.
    writer.write(line("lost"), .notable)
    // Lets the thread end before its descriptor does.
    let lines = try Lines(of: pipe.reading)
    #expect(await lines.first { $0.hasSuffix(" 4999") } != nil)
    close(pipe.writing)
    #expect(await lines.all().count == 5_000)
  }

  @Test func `what cannot be written costs lines and nothing else`() throws {
    let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    let writer = LogWriter(.text, descriptor: descriptor)
    try writer.start()
    for number in 0..<100 { writer.write(line("\(number)"), .routine) }
    writer.stop()
    writer.write(line("last"), .notable)
    #expect(writer.droppedLines == 101)
    close(descriptor)
  }

  @Test func `lines for a reader that has gone are dropped, each counted once`() async throws {
    // Standard error of the tests' process must survive this as that of the server does.
    WriteSignals.ignore()
    let pipe = try ProgramPipe()
    let writer = LogWriter(.text, descriptor: pipe.writing)
    try writer.start()
    close(pipe.reading)
    for count: Int64 in 1...3 {
      writer.write(line("\(count)"), .routine)
      try await waitUntil { writer.droppedLines == count }
    }
    writer.stop()
    #expect(writer.droppedLines == 3)
    close(pipe.writing)
  }

  /// How many lines are missing, as the log says.
  private func reported(_ log: String) -> Int64 {
    log.split(separator: "\n").filter { $0.contains("were dropped") }
      .reduce(0) { $0 + ($1.split(separator: "count=").last.flatMap { Int64($0) } ?? 0) }
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func `on a full disk lines wait, and the log says how many are missing once there is room`() async throws {
    let disk = try SmallDisk(megabytes: 1)
    let log = URL(fileURLWithPath: disk.path + "/log")
    let descriptor = open(log.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    func text() throws -> String { String(decoding: try Data(contentsOf: log), as: UTF8.self) }
    let writer = LogWriter(.text, descriptor: descriptor, maxPendingBytes: 16 * 1024, retryInterval: 1)
    try writer.start()
    writer.write(line("before"), .notable)
    try await waitUntil { try text().hasSuffix(" before\n") }
    try disk.fill()
    let count = 5_000
    // None of these waits, or the test would not end.
    for number in 0..<count { writer.write(line("\(number)"), .routine) }
    // The rest of the file's last block is taken before the disk is full, in the middle of a line.
    try await waitUntil { try text().utf8.count % 4096 == 0 }
    #expect(writer.droppedLines > 0)
    disk.makeRoom()
    // Without another line.
    try await waitUntil { reported(try text()) == writer.droppedLines }
    writer.stop()
    let lines = try text().split(separator: "\n").map(String.init)
    let kept = messages(lines).compactMap { Int($0) }
    #expect(kept.count == count - Int(writer.droppedLines) && kept == kept.sorted() && kept.first == 0)
    #expect(lines.count { $0.contains("were dropped") } == lines.count - kept.count - 1)
    #expect(messages(lines).first == "before")
  }

  @Test func `a pipe that somebody has made non-blocking is waited for`() async throws {
    let pipe = try ProgramPipe()
    _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
    let writer = LogWriter(.text, descriptor: pipe.writing)
    try writer.start()
    for number in 0..<3_000 { writer.write(line("\(number)"), .routine) }
    let lines = try Lines(of: pipe.reading)
    writer.stop()
    close(pipe.writing)
    #expect(messages(await lines.all()) == (0..<3_000).map { "\($0)"[...] })
  }
}
