import APITestSupport
import HTTPMessages
import SelfieTestDocuments

@testable import SelfieTestControl

extension Exchange {
  /// An exchange as the journal would record it.
  static func sample(
    _ method: String = "GET", _ path: String = "/up", _ status: Int = 200, message: String? = nil,
    detail: String? = nil, parameters: [String: JSONValue] = [:], fields: [Exchange.Field] = []
  ) -> Exchange {
    var exchange = Exchange()
    (exchange.method, exchange.path, exchange.status, exchange.message) = (method, path, status, message)
    (exchange.body.parameters, exchange.fields, exchange.detail) = (parameters, fields, detail)
    return exchange
  }
}

extension Journal {
  func add(_ exchanges: Exchange...) {
    for exchange in exchanges { add(exchange, begunAfter: clearings) }
  }
}

extension FaultRules {
  @discardableResult
  func add(_ rule: FaultRule) throws -> Int { try add([rule])[0] }

  subscript(id: Int) -> ListedFault? { all.first { $0.id == id } }
}
