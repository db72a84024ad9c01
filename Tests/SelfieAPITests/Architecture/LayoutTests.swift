import Testing

@Suite struct `The layout of Sources` {
  /// Folders of a target that need each other, directly or by way of others, are one folder. A folder needs another for a
  /// type or for a member of an extension. The name of a member that is declared twice in Sources could mean either.
  @Test func `the folders of a target form a ladder`() {
    let (types, members) = (Self.homes { $0.typeNames }, Self.homes { $0.extensionMembers })
    let declarations = Dictionary(grouping: SwiftSource.all.flatMap(\.memberNames)) { $0 }
    /// Which folders a folder needs, and why.
    var needs: [String: [String: String]] = [:]
    for source in SwiftSource.all {
      for name in source.words {
        guard let home = types["\(source.target) \(name)"], home != source.folder else { continue }
        needs[source.folder, default: [:]][home] = "\(source.name) names \(name)"
      }
      for name in source.usedMembers where declarations[name]?.count == 1 {
        guard let home = members["\(source.target) \(name)"], home != source.folder else { continue }
        needs[source.folder, default: [:]][home] = "\(source.name) uses \(name)"
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

  /// The folder of each name that is declared in one place of its target only: a name of two says nothing about folders.
  private static func homes(_ names: (SwiftSource) -> [String]) -> [String: String] {
    var homes: [String: [String]] = [:]
    for source in SwiftSource.all {
      for name in names(source) { homes["\(source.target) \(name)", default: []].append(source.folder) }
    }
    return homes.compactMapValues { $0.count == 1 ? $0[0] : nil }
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

extension SwiftSource {
  fileprivate var target: Substring { path.prefix { $0 != "/" } }

  fileprivate var words: Set<Substring> { Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }) }

  fileprivate var typeNames: [String] {
    let declaration =
      /(?:^|\n)(?:@\w+ )*(?:(?:public|package|internal|private|fileprivate|final|indirect) )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
    return code.matches(of: declaration).map { String($0.1) }
  }

  /// What can be declared in extensions, and everything else of the kind.
  fileprivate var memberNames: Set<String> {
    Set(code.matches(of: /\b(?:func|var|let|case) (\w+)/).map { String($0.1) })
  }

  /// The names that extensions at the left margin give to other files.
  fileprivate var extensionMembers: [String] {
    var isInExtension = false
    return code.split(separator: "\n").compactMap { line in
      if !line.hasPrefix(" "), !line.hasPrefix("}") {
        isInExtension = line.contains("extension ") && !line.hasPrefix("private ") && !line.hasPrefix("fileprivate ")
      }
      guard isInExtension, line.hasPrefix("  "), !line.hasPrefix("   ") else { return nil }
      let member =
        /(?:@[\w()]+ )*(?:(?:public|package|static|mutating|consuming|nonisolated) )*(?:func|var|let) (\w+).*/
      return line.dropFirst(2).wholeMatch(of: member).map { String($0.1) }
    }
  }

  fileprivate var usedMembers: Set<String> {
    Set((code.matches(of: /\.(\w+)/).map { $0.1 } + code.matches(of: /(\w+)\(/).map { $0.1 }).map(String.init))
  }
}
