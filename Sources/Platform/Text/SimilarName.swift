// Finds the name that a mistyped one meant. `SimilarEmails` in SelfieAPI has the addresses that differ in case only.
extension String {
  /// The name that was meant by this mistyped one: the one that is most like it; nil if none is.
  ///
  /// - Parameter maxDistance: how far a name may be from the word.
  package func nearest(among names: [String], within maxDistance: (String) -> Int) -> String? {
    // Words whose lengths differ by more are at least as far apart. Each variable of the environment comes here at the start.
    let near = names.filter { abs($0.utf8.count - utf8.count) <= maxDistance($0) }
      .map { (name: $0, distance: distance(to: $0)) }.filter { $0.distance <= maxDistance($0.name) }
    return near.min { $0.distance < $1.distance }?.name
  }

  /// How many letters must be added, left out, replaced or exchanged with the next one to make one word of the other
  /// (optimal string alignment). Compares 64 letters at most: no name is longer.
  package func distance(to other: String) -> Int {
    let (first, second) = (Array(utf8.prefix(64)), Array(other.utf8.prefix(64)))
    var rows = [Array(0...second.count)]
    for (row, letter) in first.enumerated() {
      var next = [row + 1]
      for (column, other) in second.enumerated() {
        var best = Swift.min(next[column] + 1, rows[row][column + 1] + 1, rows[row][column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          best = Swift.min(best, rows[row - 1][column - 1] + 1)
        }
        next.append(best)
      }
      rows.append(next)
    }
    return rows[first.count][second.count]
  }
}
