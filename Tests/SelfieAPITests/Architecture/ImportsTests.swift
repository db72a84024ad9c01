import Foundation
import TestSupport
import Testing

/// Swift builds a file that imports an undeclared target whenever another target's build happens to come first.
@Suite struct `The imports` {
  @Test func `every imported target is declared in Package.swift`() throws {
    let package = try String(contentsOfFile: "\(checkout)/Package.swift", encoding: .utf8)
    let targets = package.split(separator: /\n {4}\.(?=systemLibrary|target|testTarget|executableTarget)/).dropFirst()
    let dependencies = Dictionary(
      uniqueKeysWithValues: targets.compactMap { text in
        let names = text.matches(of: /"([\w-]+)"/).map { $0.1 }
        return names.first.map { ($0, Set(names.dropFirst())) }
      })
    #expect(dependencies.count > 20)
    let anImport = /(?:(?:@testable|public|package) )*import (\w+)/
    var undeclared: Set<String> = []
    for folder in ["Sources", "Tests"] {
      let files = FileManager.default.enumerator(atPath: "\(checkout)/\(folder)")?.compactMap { $0 as? String } ?? []
      for file in files where file.hasSuffix(".swift") {
        let target = file.prefix { $0 != "/" }
        let text = try String(contentsOfFile: "\(checkout)/\(folder)/\(file)", encoding: .utf8)
        for line in text.split(separator: "\n") where line.contains("import ") {
          guard let name = line.wholeMatch(of: anImport)?.1,
            dependencies[name] != nil, dependencies[target]?.contains(name) == false
          else { continue }
          undeclared.insert("\(target) imports \(name)")
        }
      }
    }
    #expect(undeclared.sorted() == [])
  }
}
