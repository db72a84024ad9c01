import ArgumentParser
import Cryptography
import Glibc
import Platform
import SelfieOperations

/// Writes the output of commands, without a buffer, so that a program that reads it through a pipe gets it at once.
/// Names, titles and addresses come from clients: whatever could control the terminal is escaped here. Questions.swift
/// asks the owner.
enum Terminal {
  /// Writes text as it is, apart from what is escaped. Line feeds end its lines, so that what is put into it must have
  /// none.
  static func write(_ text: String, to descriptor: Int32) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    write(Array(lines.map { String($0).printable }.joined(separator: "\n").utf8), to: descriptor)
  }

  /// Writes lines, and ends the last one.
  static func writeLines(_ text: String, to descriptor: Int32) { write(text + "\n", to: descriptor) }

  /// Writes a table to standard output. On a terminal it fits the width, and has colours unless NO_COLOR is set.
  ///
  /// - Parameter warns: whether a row, by its first cell, is a warning.
  static func write(
    table columns: [Column], _ rows: [[String]], warns: (String) -> Bool = { _ in false }
  ) {
    var size = winsize()
    let isTerminal = isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
    let text = table(columns, rows, width: isTerminal && size.ws_col > 0 ? Int(size.ws_col) : nil)
    guard isTerminal, SettingSources.environment("NO_COLOR")?.isEmpty ?? true else {
      return write(text, to: STDOUT_FILENO)
    }
    // What could control the terminal was escaped in the table.
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
      let colour = index == 0 ? "1" : rows.indices.contains(index - 1) && warns(rows[index - 1][0]) ? "33" : ""
      return colour.isEmpty ? String(line) : "\u{1b}[\(colour)m\(line)\u{1b}[0m"
    }
    write(Array(lines.joined(separator: "\n").utf8), to: STDOUT_FILENO)
  }

  /// Writes JSON to standard output.
  static func write(json: [UInt8]) { write(json.printableJSON, to: STDOUT_FILENO) }

  /// Writes a JSON text, and ends its line.
  static func writeJSON(_ json: [UInt8]) { write(json: json + [UInt8(ascii: "\n")]) }

  /// Clears the terminal's line, and begins it anew.
  static func replaceLine(with text: String, to descriptor: Int32) {
    write(Array("\r\(text.printable)\u{1b}[K".utf8), to: descriptor)
  }

  /// Why output was lost, other than because its reader went away.
  static let failure = Monitor<FileError?>(nil)

  /// Writes all of the bytes, unless the reader goes away. The copy of the descriptor is closed afterwards.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    do { try FileSystem.write(bytes[...], to: OpenFile(owning: dup(descriptor)), path: "") } catch {
      if descriptor == STDOUT_FILENO && error.number != EPIPE { failure.withLock { $0 = error } }
    }
  }
}

/// A line on the terminal that shows how far a command has come. Without a terminal it writes nothing.
final class ProgressLine: Sendable {
  private let isTerminal = isatty(STDERR_FILENO) != 0
  /// Nil while the line is empty.
  private let shown = Monitor<(activity: String, time: ContinuousClock.Instant)?>(nil)

  /// Runs `body`, and clears the line afterwards.
  static func during<Result>(_ body: (ProgressLine) throws -> Result) rethrows -> Result {
    let line = ProgressLine()
    defer { line.clear() }
    return try body(line)
  }

  /// Shows it, but one activity no more often than four times a second.
  func show(_ progress: Progress) {
    guard isTerminal else { return }
    shown.withLock { shown in
      let now = ContinuousClock.now
      if let shown, shown.activity == progress.activity, now < shown.time + .milliseconds(250) { return }
      shown = (progress.activity, now)
      Terminal.replaceLine(with: progress.text, to: STDERR_FILENO)
    }
  }

  /// Makes room for other output.
  func clear() {
    shown.withLock { shown in
      if shown != nil { Terminal.replaceLine(with: "", to: STDERR_FILENO) }
      shown = nil
    }
  }
}

// The tables of commands, which are written above.
extension Terminal {
  /// A column of a table, by how its cells are shown, with its title.
  enum Column {
    /// Shortened if they are long.
    case text(String)
    /// Never shortened, since other commands need them whole, such as ids and email addresses.
    case whole(String)
    /// Aligned at the right.
    case number(String)

    fileprivate var title: String {
      switch self {
      case .text(let title), .whole(let title), .number(let title): title
      }
    }

    fileprivate var isShortened: Bool { if case .text = self { true } else { false } }
    fileprivate var isNumber: Bool { if case .number = self { true } else { false } }
  }

  private static let maxCellWidth = 40
  private static let minCellWidth = 8

  /// A table for people: whatever could control the terminal is escaped, and columns are aligned, as far as each letter
  /// takes one column of the terminal.
  ///
  /// - Parameter width: that of the terminal: texts are shortened further to fit it, the longest first.
  static func table(_ columns: [Column], _ rows: [[String]], width: Int? = nil) -> String {
    let cells = ([columns.map(\.title)] + rows).map { $0.map(\.printable) }
    var widths = columns.indices.map { index in
      min(cells.map { $0[index].count }.max() ?? 0, columns[index].isShortened ? maxCellWidth : .max)
    }
    var excess = widths.reduce(2 * (columns.count - 1), +) - (width ?? .max)
    while excess > 0 {
      let texts = columns.indices.filter { columns[$0].isShortened && widths[$0] > minCellWidth }
      guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    let lines = cells.map { line in
      line.indices.map { line[$0].count <= widths[$0] ? line[$0] : line[$0].prefix(widths[$0] - 1) + "…" }
    }
    return lines.map { cells in
      let padded = columns.indices.map { index in
        let (cell, padding) = (cells[index], String(repeating: " ", count: widths[index] - cells[index].count))
        if columns[index].isNumber { return padding + cell }
        // A padded last column would wrap on a narrow terminal.
        return index == columns.count - 1 ? cell : cell + padding
      }
      return padded.joined(separator: "  ") + "\n"
    }.joined()
  }
}
