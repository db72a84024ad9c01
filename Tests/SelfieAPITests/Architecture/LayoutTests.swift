import Testing

@Suite struct `The layout of Sources` {
  /// Folders of a target that need each other, directly or by way of others, are one folder.
  @Test func `the folders of a target form a ladder`() {
    var homes: [String: [String]] = [:]
    let declaration = Self.declaration
    for source in SwiftSource.all {
      for match in source.code.matches(of: declaration) { homes[String(match.1), default: []].append(source.folder) }
    }
    /// Which folders a folder needs, and why.
    var needs: [String: [String: String]] = [:]
    for source in SwiftSource.all {
      for word in Set(source.code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)) {
        // A name of two types says nothing about folders.
        guard let home = homes[word], home.count == 1, home[0] != source.folder,
          home[0].prefix(while: { $0 != "/" }) == source.folder.prefix(while: { $0 != "/" })
        else { continue }
        needs[source.folder, default: [:]][home[0]] = "\(source.name) names \(word)"
      }
    }
    var reached = needs.mapValues { Set($0.keys) }
    for middle in needs.keys {
      let beyond = reached[middle] ?? []
      for (folder, folders) in reached where folders.contains(middle) { reached[folder] = folders.union(beyond) }
    }
    let rings = needs.filter { reached[$0.key]?.contains($0.key) == true }.map { folder, needed in
      "\(folder): \(needed.filter { reached[$0.key]?.contains(folder) == true })"
    }
    #expect(rings.sorted() == [])
  }

  private static var declaration: Regex<(Substring, Substring)> {
    /(?:^|\n)(?:@\w+ )*(?:(?:public|package|internal|private|fileprivate|final|indirect) )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
  }

  @Test func `no function has more than sixty lines`() {
    var long: [String] = []
    for source in SwiftSource.all {
      let lines = source.code.split(separator: "\n", omittingEmptySubsequences: false)
      let indentations = lines.map { line in line.prefix { $0 == " " }.count }
      for (number, line) in lines.enumerated() where line.contains("func ") || line.contains("init") {
        let words = line.split(separator: " ")
        guard words.contains(where: { $0 == "func" || $0.hasPrefix("init") }), !line.hasSuffix("}") else { continue }
        // The function ends, or what it is only required of.
        let end = lines.indices.dropFirst(number + 1).first {
          indentations[$0] <= indentations[number] && lines[$0].drop { $0 == " " }.hasPrefix("}")
        }
        guard let end, indentations[end] == indentations[number], end - number >= 60 else { continue }
        long.append("\(source.path):\(number + 1): \(end - number + 1) lines")
      }
    }
    #expect(long == [])
  }
}
