/// One condition of a filter.
enum Criterion {
  case method(String)
  case path(PathPattern)
  case status(Int)
  case error(String)
  case fault(FaultRules.ID)
  case since(Int64)
  case parameter(String, String)
  case field(String, String)

  func isMet(by exchange: Exchange) -> Bool {
    switch self {
    case .method(let method): exchange.method == method
    case .path(let pattern): pattern.matches(Array(exchange.path.utf8)[...])
    case .status(let status): exchange.status == status
    case .error(let error): exchange.error == error
    case .fault(let fault): exchange.fault == fault
    case .since(let id): exchange.id > id
    case .parameter(let name, let value): exchange[name] == value
    case .field(let name, let value): exchange.field(name) == value
    }
  }

  /// The words for the condition after a method and a path; nil for the method and the path themselves.
  var condition: String? {
    switch self {
    case .method, .path: nil
    case .status(let status): "status \(status)"
    case .error(let error): "error \(error)"
    case .fault(let fault): "fault \(fault)"
    case .since(let id): "an id above \(id)"
    case .parameter(let name, let value): "\(name) \"\(value)\""
    case .field(let name, let value): "\(name): \(value)"
    }
  }

  /// What an exchange has instead.
  func difference(in exchange: Exchange) -> String {
    switch self {
    case .method: "the method is \(exchange.method)"
    case .path: "the path is \(exchange.path)"
    case .status: exchange.status.map { "the status is \($0)" } ?? "there is no response"
    case .error: exchange.error.map { "the error is \($0)" } ?? "there is no error"
    case .fault: exchange.fault.map { "the fault is \($0)" } ?? "there is no fault"
    case .since: "it came before"
    case .parameter(let name, _):
      if let text = exchange[name] {
        "\(name) is \"\(Self.shortened(text))\""
      } else if exchange.value(name) != nil {
        "\(name) is not one text"
      } else {
        "\(name) is missing"
      }
    case .field(let name, _): exchange.field(name).map { "\(name) is \(Self.shortened($0))" } ?? "\(name) is missing"
    }
  }

  /// How far an exchange that does not meet the condition is from meeting it.
  func distance(of exchange: Exchange) -> Int {
    switch self {
    case .path(let pattern): Self.areAlike(Array(pattern.text.utf8), Array(exchange.path.utf8)) ? 2 : 6
    case .method: 3
    case .since: 4
    case .status, .error, .fault, .parameter, .field: 1
    }
  }

  /// Whether two paths differ in a few letters only, as by a typing error.
  private static func areAlike(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let prefix = zip(one, other).prefix { $0 == $1 }.count
    let suffix = zip(one.dropFirst(prefix).reversed(), other.dropFirst(prefix).reversed()).prefix { $0 == $1 }.count
    return (prefix + suffix) * 3 >= max(one.count, other.count) * 2
  }

  private static let maxShown = 200

  private static func shortened(_ text: String) -> String {
    text.count <= maxShown ? text : "\(text.prefix(maxShown))…"
  }
}
