import Testing

@Suite struct `The layout of Sources` {
  /// Folders of a target that need each other, directly or by way of others, are one folder. A folder needs another for a
  /// type, or for a member of an extension of which the text says whose it is.
  @Test func `the folders of a target form a ladder`() {
    let needs = Needs()
    var reached = needs.byFolder.mapValues { Set($0.keys) }
    for middle in needs.byFolder.keys {
      let beyond = reached[middle] ?? []
      for (folder, folders) in reached where folders.contains(middle) { reached[folder] = folders.union(beyond) }
    }
    let rings = needs.byFolder.filter { reached[$0.key]?.contains($0.key) == true }.map { folder, needed in
      "\(folder): \(needed.filter { reached[$0.key]?.contains(folder) == true })"
    }
    #expect(rings.sorted() == [])
    // Uses of the others cannot be told from those of other types.
    #expect(needs.usedMembers.count * 100 >= needs.sharedMembers.count * 50)
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

@Suite struct `The layout of Tests` {
  /// Folders without a counterpart in Sources: what tests share, and tests of more than a folder.
  private static let ofTestsOnly: Set = [
    "Support", "Architecture", "Replay", "Robustness", "Wire/Malformed", "Apps", "Checkout", "Cluster", "Pages",
  ]

  /// `RowListTests.swift` stands where `RowList.swift` does, and any other test in some folder of its target.
  @Test func `each test stands in the folder of what it tests`() {
    let folders = Set(SwiftSource.all.map(\.folder))
    let homes = Dictionary(grouping: SwiftSource.all) { "\($0.target)/\($0.name)" }.mapValues { $0.map(\.folder) }
    let misplaced = SwiftSource.paths(in: "Tests").filter { path in
      guard let mark = path.firstRange(of: "Tests/") else { return false }
      let (target, rest) = (path[..<mark.lowerBound], path[mark.upperBound...].split(separator: "/"))
      let subfolder = rest.dropLast().joined(separator: "/")
      let folder = subfolder.isEmpty ? String(target) : "\(target)/\(subfolder)"
      let tested = rest.last?.replacing("Tests.swift", with: ".swift") ?? ""
      if let home = homes["\(target)/\(tested)"] { return !home.contains(folder) }
      return !folders.contains(folder) && !Self.ofTestsOnly.contains(subfolder)
    }
    #expect(misplaced == [])
  }
}

/// Which folders of Sources need which others of their targets, and why.
private struct Needs {
  private(set) var byFolder: [String: [String: String]] = [:]
  /// The members that extensions give to other files.
  private(set) var sharedMembers: Set<SourceMember> = []
  /// Those of them of which some use is seen.
  private(set) var usedMembers: Set<SourceMember> = []

  init() {
    let sources = SwiftSource.all.map { (source: $0, members: SourceMembers(of: $0)) }
    let types = Self.homes(
      of: sources.flatMap { source, _ in source.typeNames.map { ($0, source.target, source.folder) } })
    var (folders, shared): ([SourceMember: Set<String>], [SourceMember: Set<Substring>]) = ([:], [:])
    var owners: [String: Set<String>] = [:]
    var variableTypes: [Substring: [String: Set<String>]] = [:]
    for (source, members) in sources {
      for declaration in members.declarations {
        let member = declaration.member
        folders[member, default: []].insert(source.folder)
        owners[member.name, default: []].insert(member.type)
        if declaration.isSharedByExtension { shared[member, default: []].insert(source.target) }
      }
      variableTypes[source.target, default: [:]].merge(members.variableTypes) { $0.union($1) }
    }
    sharedMembers = Set(shared.keys)
    for (source, members) in sources {
      for name in source.words {
        guard let home = types["\(source.target) \(name)"], home != source.folder else { continue }
        byFolder[source.folder, default: [:]][home] = "\(source.name) names \(name)"
      }
      for use in members.uses(variableTypes: variableTypes[source.target] ?? [:], owners: owners) {
        guard shared[use]?.contains(source.target) == true else { continue }
        usedMembers.insert(use)
        // One of several declarations could be meant.
        guard folders[use]?.count == 1, let home = folders[use]?.first, home != source.folder else { continue }
        byFolder[source.folder, default: [:]][home] = "\(source.name) uses \(use.type).\(use.name)"
      }
    }
  }

  /// The folder of each name that is declared in one place of its target only: a name of two says nothing about folders.
  private static func homes(of names: [(name: String, target: Substring, folder: String)]) -> [String: String] {
    Dictionary(grouping: names) { "\($0.target) \($0.name)" }.compactMapValues { $0.count == 1 ? $0[0].folder : nil }
  }
}

extension SwiftSource {
  var target: Substring { path.prefix { $0 != "/" } }

  fileprivate var words: Set<Substring> { Set(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }) }

  fileprivate var typeNames: [String] {
    let declaration =
      /(?:^|\n)(?:@\w+ )*(?:(?:public|package|internal|private|fileprivate|final|indirect) )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
    return code.matches(of: declaration).map { String($0.1) }
  }
}
