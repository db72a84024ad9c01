import HTTPMessages
import Platform

/// What is counted of an exchange until the application is told of it.
struct ExchangeRecord {
  let context = RequestContext()
  var status: Status?
  var bytesReceived: Int64 = 0
  var bytesSent: Int64 = 0
  private let method: Method?
  private let start = monotonicNanoseconds()

  /// Begins when a request's head is complete, or when a request is refused without one.
  ///
  /// - Parameter method: nil if the request line could not be read.
  init(method: Method?) {
    self.method = method
  }

  func exchange(isComplete: Bool, peer: String, loop: Int) -> Exchange {
    Exchange(
      method: method, status: status, bytesReceived: bytesReceived, bytesSent: bytesSent, isComplete: isComplete,
      nanoseconds: monotonicNanoseconds() - start, peer: peer, loop: loop, facts: context.facts)
  }
}
