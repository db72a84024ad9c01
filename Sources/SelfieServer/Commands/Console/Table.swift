import Platform

// The tables of commands. Terminal.swift writes them.
extension Terminal {
  /// How the cells of a column of a table are shown.
  enum Column {
    /// Shortened if they are long.
    case text
    /// Never shortened, since other commands need them whole, such as ids and email addresses.
    case whole
    /// Aligned at the right.
    case number
  }

  private static let maxCellWidth = 40
  private static let minCellWidth = 8

  /// A table for people: whatever could control the terminal is escaped, and columns are aligned, as far as each letter
  /// takes one column of the terminal.
  ///
  /// - Parameter width: that of the terminal: texts are shortened further to fit it, the longest first.
  static func table(_ columns: [(title: String, kind: Column)], _ rows: [[String]], width: Int? = nil) -> String {
    let cells = ([columns.map(\.title)] + rows).map { $0.map(\.printable) }
    var widths = columns.indices.map { index in
      min(cells.map { $0[index].count }.max() ?? 0, columns[index].kind == .text ? maxCellWidth : .max)
    }
    var excess = widths.reduce(2 * (columns.count - 1), +) - (width ?? .max)
    while excess > 0 {
      let texts = columns.indices.filter { columns[$0].kind == .text && widths[$0] > minCellWidth }
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
        if columns[index].kind == .number { return padding + cell }
        // A padded last column would wrap on a narrow terminal.
        return index == columns.count - 1 ? cell : cell + padding
      }
      return padded.joined(separator: "  ") + "\n"
    }.joined()
  }
}
