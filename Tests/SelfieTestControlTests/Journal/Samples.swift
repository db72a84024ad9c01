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
    exchange.id = 1
    (exchange.method, exchange.path, exchange.status, exchange.message) = (method, path, status, message)
    (exchange.body.parameters, exchange.fields, exchange.detail) = (parameters, fields, detail)
    return exchange
  }
}

extension Exchange {
  /// A request that has arrived, whose body has not been read.
  static func arrived(_ method: String, _ path: String, fields: [Exchange.Field] = []) -> Exchange {
    var exchange = Exchange()
    (exchange.method, exchange.path, exchange.fields) = (method, path, fields)
    exchange.body.complete = false
    return exchange
  }
}

extension Journal {
  func add(_ exchanges: Exchange...) {
    for exchange in exchanges { end(begin(Exchange()), with: exchange) }
  }
}

extension FaultRules {
  @discardableResult
  func add(_ rule: FaultRule) throws -> Int { try add([rule])[0] }

  subscript(id: Int) -> ListedFault? { all.first { $0.id == id } }
}
