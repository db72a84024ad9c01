import APITestSupport
import HTTPMessages

@testable import SelfieTestControl

extension Exchange {
  /// An exchange as the journal would record it.
  static func sample(
    _ method: String = "GET", _ path: String = "/up", _ status: Int = 200, message: String? = nil,
    parameters: [String: ParameterValue] = [:], fields: [RecordedField] = []
  ) -> Exchange {
    Exchange(
      time: 0, duration: .zero, peer: "127.0.0.1", method: method, path: path, query: [:], queryProblem: nil,
      fields: fields, body: RecordedBody(parameters: parameters, byteCount: 0, isComplete: true, problem: nil),
      status: status, error: nil, message: message, response: nil, fault: nil)
  }
}

extension Journal {
  func add(_ exchanges: Exchange...) {
    for exchange in exchanges { add(exchange, begunAfter: clearings) }
  }
}

extension MultipartBody {
  static let type = "multipart/form-data; boundary=\(boundary)"
}
