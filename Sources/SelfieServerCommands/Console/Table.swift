import Platform

/// A table for people: whatever could control the terminal is escaped, and columns are aligned, as far as each letter
/// takes one column of the terminal.
struct Table {
  enum Alignment {
    case left, right
  }

  /// A longer cell is shortened, unless its column must be whole to be of use.
  private static let maxCellWidth = 40

  struct Column {
    let title: String
    var alignment = Alignment.left
    /// Whether the cells are needed whole, as ids and email addresses are by other commands.
    var isWhole = false
  }

  let columns: [Column]
  private var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  mutating func append(_ cells: [String]) {
    rows.append(
      zip(cells, columns).map { cell, column in
        column.isWhole ? cell.printable : Self.shortened(cell.printable)
      })
  }

  private static func shortened(_ cell: String) -> String {
    cell.count <= maxCellWidth ? cell : cell.prefix(maxCellWidth - 1) + "…"
  }

  /// The lines with the title and the rows.
  var text: String {
    let lines = [columns.map(\.title.printable)] + rows
    let widths = columns.indices.map { index in lines.map { $0[index].count }.max() ?? 0 }
    return lines.map { cells in
      let padded = columns.indices.map { index in
        let (cell, padding) = (cells[index], String(repeating: " ", count: widths[index] - cells[index].count))
        if columns[index].alignment == .right { return padding + cell }
        // A padded last column would wrap on a narrow terminal.
        return index == columns.count - 1 ? cell : cell + padding
      }
      return padded.joined(separator: "  ") + "\n"
    }.joined()
  }
}
