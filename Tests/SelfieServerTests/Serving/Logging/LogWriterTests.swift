import Foundation
import Glibc
import Logging
import Platform
import TestSupport
import Testing

@testable import SelfieServer

@Suite(.timeLimit(.minutes(10))) struct LogWriterTests {
  private static func line(_ text: String) -> LogLine {
    var line = LogLine(.text, level: "info", message: text)
    line.end()
    return line
  }

  /// The lines without their times and levels.
  private func messages(_ lines: [String]) -> [Substring] {
    lines.map { $0.dropFirst("1970-01-01T00:00:00.000Z info ".count) }
  }

  /// How many lines are missing, as the log says.
  private func reported(_ lines: [String]) -> Int {
    lines.filter { $0.contains("were dropped") }
      .compactMap { $0.split(separator: "count=").last.flatMap { Int($0) } }.reduce(0, +)
  }

  /// The lines that a writer has written to a pipe when it was stopped.
  ///
  /// - Parameter write: the pipe has no reader before this asks for the lines.
  private func written(
    flags: Int32 = 0, maxPendingBytes: Int = 4 << 20,
    by write: (LogWriter, _ lines: () throws -> Lines) async throws -> Void
  ) async throws -> [String] {
    let pipe = try ProgramPipe()
    _ = fcntl(pipe.writing, F_SETFL, flags)
    // It waits for the reader's thread, however busy the machine is.
    let writer = LogWriter(
      .text, descriptor: pipe.writing, maxPendingBytes: maxPendingBytes, stopTimeout: 60_000)
    var reader: Lines?
    func lines() throws -> Lines {
      let lines = try reader ?? Lines(of: pipe.reading)
      reader = lines
      return lines
    }
    try await write(writer, lines)
    _ = try lines()
    writer.stop()
    writer.write(Self.line("last"))
    close(pipe.writing)
    return try await lines().all()
  }

  /// The writer waits for a pipe that is non-blocking.
  @Test(arguments: [0, O_NONBLOCK])
  func `lines come in their order, before, while and after the thread writes them`(flags: Int32) async throws {
    let lines = try await written(flags: flags) { writer, _ in
      writer.write(Self.line("0"))
      try writer.start()
      for number in 1..<5_000 { writer.write(Self.line("\(number)"), isRoutine: true) }
    }
    #expect(messages(lines) == (0..<5_000).map { "\($0)"[...] } + ["last"])
  }

  @Test func `each line has the time at which it was written`() async throws {
    let lines = try await written { writer, _ in
      writer.write(Self.line("first"))
      let start = unixMilliseconds()
      try await waitUntil { unixMilliseconds() > start }
    }
    #expect(lines.count == 2 && lines[0].prefix(24) < lines[1].prefix(24))
  }

  @Test func `lines of many threads never mix, and those of each are in order`() async throws {
    let lines = try await written { writer, lines in
      try writer.start()
      _ = try lines()
      let threads = try (0..<4).map { thread in
        try Platform.Thread(named: "test") {
          for number in 0..<2_000 {
            let text = "\(thread) \(number) \(String(repeating: "x", count: number % 90))"
            writer.write(Self.line(text), isRoutine: true)
          }
        }
      }
      for thread in threads { thread.join() }
    }
    let words = messages(lines).dropLast().map { $0.split(separator: " ") }
    for thread in 0..<4 {
      let own = words.filter { $0.first == "\(thread)" }
      #expect(own.map { $0[1] } == (0..<2_000).map { "\($0)"[...] })
      #expect(own.enumerated().allSatisfy { ($1.count > 2 ? $1[2].count : 0) == $0 % 90 })
    }
    #expect(words.count == 8_000)
  }

  @Test func `what a reader that stalls does not take is counted, and logged when it reads again`() async throws {
    let count = 10_000
    let all = try await written(maxPendingBytes: 16 * 1024) { writer, lines in
      try writer.start()
      // There is no reader yet. None of these waits, or the test would not end.
      for number in 0..<count { writer.write(Self.line("\(number)"), isRoutine: true) }
      writer.write(Self.line("an error"))
      #expect(try await lines().first { $0.contains(" warning ") && $0.contains("were dropped") } != nil)
      // There may be room for no other yet.
      writer.write(Self.line("again"))
    }
    let reports = all.count { $0.contains("were dropped") }
    #expect(reported(all) > 0)
    #expect(all.count - reports == count - reported(all) + 3)
    // Those before the stall are whole and in order.
    let kept = messages(all).compactMap { Int($0) }
    #expect(kept.count == count - reported(all) && kept == kept.sorted())
    #expect(all.contains { $0.hasSuffix("an error") } && all.contains { $0.hasSuffix("again") })
  }

  @Test func `a reader that stalls does not keep the server from its end`() async throws {
    let pipe = try ProgramPipe()
    let writer = LogWriter(.text, descriptor: pipe.writing, stopTimeout: 1)
    try writer.start()
    for number in 0..<5_000 { writer.write(Self.line("\(number)"), isRoutine: true) }
    writer.stop()
    // It waits for no reader any more.
    writer.write(Self.line("last"))
    // Lets the thread end before its descriptor does.
    let lines = try Lines(of: pipe.reading)
    #expect(await lines.first { $0.hasSuffix(" last") } != nil)
    close(pipe.writing)
    #expect(await lines.all().count == 5_001)
  }

  @Test func `what cannot be written costs lines and nothing else`() throws {
    let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    let writer = LogWriter(.text, descriptor: descriptor)
    try writer.start()
    for number in 0..<100 { writer.write(Self.line("\(number)"), isRoutine: true) }
    writer.stop()
    writer.write(Self.line("last"))
    #expect(writer.droppedLines == 101)
    close(descriptor)
  }

  @Test func `lines for a pipe without a reader are dropped, each counted once`() async throws {
    // Standard error of the tests' process must survive this as that of the server does.
    ignoreWriteSignals()
    let pipe = try ProgramPipe()
    let writer = LogWriter(.text, descriptor: pipe.writing)
    try writer.start()
    close(pipe.reading)
    for count: Int64 in 1...3 {
      writer.write(Self.line("\(count)"), isRoutine: true)
      try await waitUntil { writer.droppedLines == count }
    }
    writer.stop()
    #expect(writer.droppedLines == 3)
    close(pipe.writing)
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func `on a full disk lines wait, and the log says how many are missing once there is room`() async throws {
    let disk = try SmallDisk(megabytes: 1)
    let log = URL(fileURLWithPath: disk.path + "/log")
    let descriptor = open(log.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    func text() throws -> String { String(decoding: try Data(contentsOf: log), as: UTF8.self) }
    func lines() throws -> [String] { try text().split(separator: "\n").map(String.init) }
    let writer = LogWriter(.text, descriptor: descriptor, maxPendingBytes: 16 * 1024, retryInterval: 1)
    try writer.start()
    writer.write(Self.line("before"))
    try await waitUntil { try text().hasSuffix(" before\n") }
    try disk.fill()
    let count = 5_000
    // None of these waits, or the test would not end.
    for number in 0..<count { writer.write(Self.line("\(number)"), isRoutine: true) }
    // The rest of the file's last block is taken before the disk is full, in the middle of a line.
    try await waitUntil { try text().utf8.count % 4096 == 0 }
    #expect(writer.droppedLines > 0)
    disk.makeRoom()
    // Without another line.
    try await waitUntil { Int64(reported(try lines())) == writer.droppedLines }
    writer.stop()
    let written = try lines()
    let kept = messages(written).compactMap { Int($0) }
    #expect(kept.count == count - Int(writer.droppedLines) && kept == kept.sorted() && kept.first == 0)
    #expect(written.count { $0.contains("were dropped") } == written.count - kept.count - 1)
    #expect(messages(written).first == "before")
  }
}

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
    for (now, text) in [(0, "00.000"), (59_999, "59.999"), (1, "00.001")] as [(Int64, String)] {
      let prefix = String(decoding: LogWriter.prefix(.text, unixMilliseconds: now), as: UTF8.self)
      #expect(prefix == "1970-01-01T00:00:\(text)Z ")
    }
    let prefix = String(decoding: LogWriter.prefix(.json, unixMilliseconds: 0), as: UTF8.self)
    #expect(prefix == "{\"time\":\"1970-01-01T00:00:00.000Z\",")
  }
}
