import Foundation
import TestSupport
import Testing

@testable import SelfieTestControl

/// `Docs/openapi.yaml` describes the control interface, all of it and nothing else.
@Suite struct OpenAPITests {
  private static let file = "\(checkout)/Docs/openapi.yaml"

  @Test func `every address is described, and every description has its address`() throws {
    #expect(
      try Self.described().filter { $0.contains("/__admin/") }.sorted() == ControlRoute.all.map(\.address).sorted())
  }

  @Test func `every address says who may ask, and how others are refused`() throws {
    let text = try String(contentsOfFile: Self.file, encoding: .utf8)
    let operations = text.components(separatedBy: "      tags: [Control]\n")
    #expect(operations.count == ControlRoute.all.count + 1)
    for operation in operations.dropFirst() {
      let lines = operation.split(separator: "\n").prefix { $0.hasPrefix("      ") }
      #expect(lines.contains("      security: [{}, {control: []}]"), "\(lines)")
      for status in ["401", "403"] { #expect(lines.contains { $0.hasPrefix("        '\(status)':") }, "\(lines)") }
    }
  }

  /// `GET /path` for each operation: keys of two blanks are paths, of four are methods.
  private static func described() throws -> [String] {
    var path = ""
    var operations: [String] = []
    let (pathLine, methodLine) = (/\ \ (\/\S*):/, /\ {4}(get|post|put|delete):/)
    for line in try String(contentsOfFile: Self.file, encoding: .utf8).split(separator: "\n") {
      if let match = line.wholeMatch(of: pathLine) { path = String(match.1) }
      if !line.hasPrefix(" ") { path = "" }
      if !path.isEmpty, let match = line.wholeMatch(of: methodLine) {
        operations.append("\(match.1.uppercased()) \(path)")
      }
    }
    return operations
  }
}
