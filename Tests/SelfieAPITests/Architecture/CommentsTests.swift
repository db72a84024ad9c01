import Foundation
import TestSupport
import Testing

@Suite struct `The comments` {
  /// What Swift, ArgumentParser, Rack and RFC 9110 have, two misspellings of the last, and a folder.
  private static let others: Set = [
    "Allow", "Authorisation", "Bearer", "Codable", "CancellationError", "Config", "Content_Type", "DecodingError",
    "Duration", "ExitCode", "Expires", "Forwarded",
    "Host", "MethodOverride", "StaticString", "String", "TaskExecutor",
  ]

  @Test func `what they name exists`() {
    let declaration = /(?:struct|class|enum|protocol|actor|typealias|associatedtype) `?(\w+)/
    let types = Self.others.union(
      SwiftSource.all.flatMap { source in source.code.matches(of: declaration).map { String($0.1) } })
    let files = Set(SwiftSource.all.map(\.name)).union(["HTTPHelper.swift"])
    var missing: [String] = []
    for source in SwiftSource.all {
      for comment in source.comments {
        for match in comment.matches(of: /`([A-Z][a-z]\w*)`/) where !types.contains(String(match.1)) {
          missing.append("\(source.path): \(match.1)")
        }
        for match in comment.matches(of: /[\w+]+\.swift\b/) where !files.contains(String(match.0)) {
          missing.append("\(source.path): \(match.0)")
        }
      }
    }
    #expect(missing == [])
  }
}
