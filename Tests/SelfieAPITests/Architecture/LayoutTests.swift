import Testing

@Suite struct `The layout of Sources` {
  /// Two folders of a target that name each other's types are one folder.
  @Test func `the folders of a target form a ladder`() {
    var files: [String: [SwiftSource]] = [:]
    let declaration = Self.declaration
    for source in SwiftSource.all {
      for match in source.code.matches(of: declaration) { files[String(match.1), default: []].append(source) }
    }
    // A name of two types says nothing about folders.
    let homes = files.filter { $0.value.count == 1 }.compactMapValues(\.first?.folder)
    var arrows: [Arrow: String] = [:]
    for source in SwiftSource.all {
      for word in Set(source.code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)) {
        guard let home = homes[word], home != source.folder, Self.target(home) == Self.target(source.folder) else {
          continue
        }
        arrows[Arrow(from: source.folder, to: home)] = "\(source.name) names \(word)"
      }
    }
    let circles = arrows.filter { arrow, _ in
      arrows[Arrow(from: arrow.to, to: arrow.from)] != nil
    }
    #expect(circles.isEmpty, "\(circles.map { "\($0.key.from) -> \($0.key.to): \($0.value)" }.sorted())")
  }

  private struct Arrow: Hashable {
    let from: String
    let to: String
  }

  private static func target(_ folder: String) -> Substring? { folder.split(separator: "/").first }

  private static var declaration: Regex<(Substring, Substring)> {
    /(?:^|\n)(?:@\w+ )*(?:(?:public|package|internal|private|fileprivate|final|indirect) )*(?:struct|class|enum|protocol|actor|typealias) (\w+)/
  }
}
