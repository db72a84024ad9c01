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

  @Test func `every operation of an API takes the parameters that its route states`() throws {
    for operation in operations where !operation.path.hasPrefix("/__admin/") && !operation.path.hasPrefix("/owner") {
      let path = try #require(RequestPath(Array(operation.path.utf8)[...]))
      let resource = try #require(RouteTable.all.lazy.compactMap { $0.find(path) }.first?.resource)
      let route = try #require(resource.routes.first { "\($0.method.name)" == operation.method })
      let request = operation.lines.prefix { !$0.hasPrefix("      responses:") }
      let described = parameters(in: request[...])
      #expect(described.names == Set(route.parameters.map(\.name)), "\(operation.address)")
      // A note is required in words of its own.
      let required = Set(route.parameters.filter { $0.isRequired || $0.kind == .object }.map(\.name))
      #expect(described.required == required, "\(operation.address)")
      let files = request.compactMap { $0.firstMatch(of: /(\w+): \{type: string, format: binary/)?.1 }
      #expect(files.map(String.init) == route.parameters.filter { $0.kind == .file }.map(\.name))
    }
  }

  /// The parameters of the query and the members of the body, in these lines and in the components to which they refer.
  private func parameters(in lines: ArraySlice<Substring>) -> (names: Set<String>, required: Set<String>) {
    var (names, required) = (Set<String>(), Set<String>())
    for (index, line) in zip(lines.indices, lines) {
      if let name = line.firstMatch(of: /name: (\w+)(, in: query|$)/)?.1 {
        names.insert(String(name))
        if line.contains("required: true") { required.insert(String(name)) }
      }
      if let list = line.firstMatch(of: /required: \[(.*)\]/)?.1 {
        required.formUnion(list.components(separatedBy: ", "))
      }
      if line.hasSuffix(" properties:") {
        let margin = String(repeating: " ", count: line.prefix { $0 == " " }.count + 2)
        let members = lines[(index + 1)...].prefix { $0.hasPrefix(margin) }.filter { !$0.hasPrefix(margin + " ") }
        names.formUnion(members.map { String($0.dropFirst(margin.count).prefix { $0 != ":" }) })
      }
      let reference = /^ *(- |requestBody: |application\/json: ).*'#\/components\/(\w+)\/(\w+)'/
      guard let match = line.firstMatch(of: reference) else { continue }
      let component = document.drop { $0 != "  \(match.2):" }.drop { !$0.hasPrefix("    \(match.3):") }
      let found = parameters(in: component.prefix(1) + component.dropFirst().prefix { $0.hasPrefix("     ") })
      names.formUnion(found.names)
      required.formUnion(found.required)
    }
    return (names, required)
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
    var (name, optional, required) = (Substring(), Set<Substring>(), Set<Substring>())
    for line in schemas {
      if !line.hasPrefix("     ") { name = line.dropFirst(4).prefix { $0 != ":" } }
      if line == "      properties:" { optional.insert(name) }
      if line.hasPrefix("      required: [") { required.insert(name) }
    }
    #expect(
      optional.subtracting(required) == [
        "ClockChange", "ExchangeFilter", "Fault", "RequestCondition", "Seed", "SeedNote", "SeedPhoto", "SentNote",
      ])
  }
}
