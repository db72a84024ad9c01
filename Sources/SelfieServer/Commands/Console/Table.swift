/// A table for people: whatever could control the terminal is escaped, and columns are aligned, as far as each letter
/// takes one column of the terminal.
enum Table {
  /// How the cells of a column are shown.
  enum Kind {
    /// Shortened if they are long.
    case text
    /// Never shortened, since other commands need them whole, such as ids and email addresses.
    case whole
    /// Aligned at the right.
    case number
  }

  private static let maxCellWidth = 40

  /// The lines with the titles and the rows.
  static func text(_ columns: [(title: String, kind: Kind)], _ rows: [[String]]) -> String {
    let lines = [columns.map(\.title.printable)] + rows.map { zip($0, columns).map { shown($0, as: $1.kind) } }
    let widths = columns.indices.map { index in lines.map { $0[index].count }.max() ?? 0 }
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

  private static func shown(_ cell: String, as kind: Kind) -> String {
    let cell = cell.printable
    return kind == .whole || cell.count <= maxCellWidth ? cell : cell.prefix(maxCellWidth - 1) + "…"
  }
}
