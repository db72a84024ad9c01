import Foundation
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

/// `Docs/openapi.yaml` describes the APIs and the control interface, so that clients can be generated from it.
/// `Tests/OpenAPI/run` generates some.
@Suite struct OpenAPITests {
  /// A path with a method, and the lines that describe it.
  private struct Operation {
    let method: String
    let path: String
    var lines: [Substring] = []

    var address: String { "\(method) \(path)" }
    func has(_ statuses: String...) -> Bool {
      statuses.allSatisfy { status in lines.contains { $0.hasPrefix("        '\(status)':") } }
    }
  }

  private let document: [Substring]
  private let operations: [Operation]

  /// Keys of two blanks are paths or components, of four are methods.
  init() throws {
    document = try String(contentsOfFile: "\(checkout)/Docs/openapi.yaml", encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: true)
    var (path, operations) = (Substring(), [Operation]())
    for line in document {
      if !line.hasPrefix("   ") { path = line.hasPrefix("  /") ? line.dropFirst(2).dropLast() : "" }
      guard !path.isEmpty else { continue }
      if line.hasPrefix("    "), !line.hasPrefix("     "), !line.contains("parameters:") {
        operations.append(Operation(method: line.dropFirst(4).dropLast().uppercased(), path: String(path)))
      } else if line.hasPrefix("      "), let last = operations.indices.last, operations[last].path == path {
        operations[last].lines.append(line)
      }
    }
    self.operations = operations
  }

  @Test func `every address of the control interface is described, and no other`() {
    #expect(
      operations.map(\.address).filter { $0.contains("/__admin/") }.sorted() == ControlRoute.all.map(\.address).sorted()
    )
  }

  @Test func `every described address of an API has the described methods`() throws {
    let tables = RouteTable.all
    for (path, operations) in Dictionary(grouping: operations, by: \.path)
    where !path.hasPrefix("/__admin/") && !path.hasPrefix("/owner") {
      let found = try #require(RequestPath(Array(path.utf8)[...]))
      let allowed = try #require(tables.lazy.compactMap { $0.find(found) }.first?.resource.allow, "\(path)")
      let methods = allowed.components(separatedBy: ", ").filter { $0 != "HEAD" && $0 != "OPTIONS" }
      #expect(operations.map(\.method).sorted() == methods, "\(path)")
    }
  }

  @Test func `every operation has a name of its own, and a response for any other status`() {
    let names = operations.map { $0.lines.first { $0.hasPrefix("      operationId: ") } }
    #expect(Set(names).count == operations.count && !names.contains(nil) && operations.count > 60)
    for operation in operations {
      #expect(operation.lines.contains { $0.hasPrefix("        default: {$ref") }, "\(operation.address)")
    }
  }

  @Test func `every operation says how a client is refused that has no credential, or too large a body`() {
    for operation in operations {
      let security = operation.lines.first { $0.hasPrefix("      security: ") }?.dropFirst(16)
      let isRefused =
        switch security {
        case nil: true
        case "[{basic: []}]", "[{user: []}]": operation.has("401", "403", "429")
        case "[{token: []}, {bearer: []}]": operation.has("401")
        case "[{session: []}]": operation.has("403")
        case "[{owner: []}]", "[{}, {control: []}]": operation.has("401", "403")
        default: false
        }
      #expect(isRefused, "\(operation.address)")
      let hasBody = operation.lines.contains { $0.hasPrefix("      requestBody:") }
      #expect(!hasBody || operation.has("413", "415"), "\(operation.address)")
    }
    let control = operations.filter { $0.path.hasPrefix("/__admin/") }
    #expect(control.allSatisfy { $0.lines.contains("      security: [{}, {control: []}]") })
  }

  @Test func `every object says which members it always has, except requests without any`() {
    let schemas = document.drop { $0 != "  schemas:" }.dropFirst().prefix { $0.hasPrefix("    ") }
    var (name, optional) = (Substring(), Set<Substring>())
    for line in schemas {
      if !line.hasPrefix("     ") { name = line.dropFirst(4).prefix { $0 != ":" } }
      if line == "      properties:" { optional.insert(name) }
    }
    name = ""
    for line in schemas {
      if !line.hasPrefix("     ") { name = line.dropFirst(4).prefix { $0 != ":" } }
      if line.hasPrefix("      required: [") { optional.remove(name) }
    }
    #expect(optional == ["ClockChange", "ExchangeFilter", "Fault", "Seed", "SeedNote", "SeedPhoto", "SentNote"])
  }
}
