/// A table for people: whatever could control the terminal is escaped, and columns are aligned, as far as each letter
/// takes one column of the terminal.
struct Table {
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

  private let columns: [(title: String, kind: Kind)]
  private var rows: [[String]] = []

  init(_ columns: [(title: String, kind: Kind)]) {
    self.columns = columns
  }

  mutating func append(_ cells: [String]) {
    rows.append(
      zip(cells, columns).map { cell, column in
        let cell = cell.printable
        let isWhole = column.kind == .whole || cell.count <= Self.maxCellWidth
        return isWhole ? cell : cell.prefix(Self.maxCellWidth - 1) + "…"
      })
  }

  /// The lines with the title and the rows.
  var text: String {
    let lines = [columns.map(\.title.printable)] + rows
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
}
