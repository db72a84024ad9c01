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
    let undeclared = SwiftSource.all.flatMap { source in
      source.code.split(separator: "\n").compactMap { line -> String? in
        guard line.contains("import "), let name = line.wholeMatch(of: anImport)?.1, dependencies[name] != nil,
          dependencies[source.path.prefix { $0 != "/" }]?.contains(name) == false
        else { return nil }
        return "\(source.path) imports \(name)"
      }
    }
    #expect(undeclared == [])
  }

  /// A Mac of version 12, which Package.swift names, has none of these.
  @Test func `the library for tests uses nothing that an older Mac lacks`() {
    let newer =
      /\b(Duration|ContinuousClock|SuspendingClock|Mutex|Atomic|Regex|Span|InlineArray|URL\(filePath|sleep\(for)\b/
    let uses = SwiftSource.all.flatMap { source in
      guard source.path.contains(/^SelfieServerTesting\/|^SelfieTestDocuments\//) else { return [] as [String] }
      return source.code.matches(of: newer).map { "\(source.path): \($0.1)" }
    }
    #expect(uses == [])
  }
}
