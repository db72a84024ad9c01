import Foundation

/// A recorded conversation with the server; `Exchanges/README.md` describes the files.
struct Scenario {
  let name: String
  let steps: [Step]

  enum Step {
    case exchange(Exchange)
    /// The clock goes on.
    case later(hours: Int64)
  }

  var exchanges: [Exchange] {
    steps.compactMap { step in
      guard case .exchange(let exchange) = step else { return nil }
      return exchange
    }
  }
}

/// A request and the response it should get.
struct Exchange {
  let name: String
  /// Where its name stands in the file.
  let line: Int
  let method: String
  let target: String
  let fields: [Field]
  /// As it is written down; nil where there is none.
  let body: String?
  let response: ExpectedResponse
}

/// What the file says of a response.
struct ExpectedResponse {
  var status: Int
  var fields: [Field] = []
  var body = ""
}

/// A header field.
struct Field: Equatable, Sendable {
  let name: String
  let value: String
}

extension Scenario {
  /// The recorded scenarios, by name.
  static let names: [String] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
  }()

  init(named name: String) throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent(name + Self.suffix), encoding: .utf8)
    var parser = ScenarioParser(text)
    self.init(name: name, steps: try parser.parse())
  }

  private static let suffix = ".http"
  private static let folder = Bundle.module.bundleURL.appendingPathComponent("Exchanges")
}
