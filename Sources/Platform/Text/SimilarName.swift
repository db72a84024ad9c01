/// Finds the name that was meant by a mistyped one.
package enum SimilarName {
  /// The name that is most like a word; nil if none is.
  ///
  /// - Parameter maxDistance: how far a name may be from the word.
  package static func nearest(to word: String, among names: [String], within maxDistance: (String) -> Int) -> String? {
    // Words whose lengths differ by more are at least as far apart. Each variable of the environment comes here at the start.
    let near = names.filter { abs($0.utf8.count - word.utf8.count) <= maxDistance($0) }
      .map { (name: $0, distance: distance(word, $0)) }.filter { $0.distance <= maxDistance($0.name) }
    return near.min { $0.distance < $1.distance }?.name
  }

  /// How many letters must be added, left out, replaced or exchanged with the next one to make one word of the other
  /// (optimal string alignment). Compares 64 letters at most: no name is longer.
  package static func distance(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first.utf8.prefix(64)), Array(second.utf8.prefix(64)))
    var rows = [Array(0...second.count)]
    for (row, letter) in first.enumerated() {
      var next = [row + 1]
      for (column, other) in second.enumerated() {
        var best = min(next[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          best = min(best, rows[row - 1][column - 1] + 1)
        }
        next.append(best)
      }
      rows.append(next)
    }
    return rows[first.count][second.count]
  }
}
