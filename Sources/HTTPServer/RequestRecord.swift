package import HTTPMessages
import Platform

/// A request and its response as they are counted and logged. The application receives it once the response has been
/// sent or the connection has ended. `RequestContext` in HTTPMessages has what the application has found out.
package struct RequestRecord: Sendable {
  /// Nil if the request line could not be read.
  package let method: Method?
  /// The address of the client's socket, without its port.
  package let peer: String
  /// Nil if the connection ended before there was a response.
  package internal(set) var status: Status?
  /// Of the request's head, and of its content as far as it was read until then.
  package internal(set) var bytesReceived: Int64 = 0
  /// Of the response, with its head. TLS adds some.
  package internal(set) var bytesSent: Int64 = 0
  /// Whether the whole response was handed to the kernel.
  package private(set) var isComplete = false
  /// From the end of the request's head to the last byte of the response.
  package private(set) var nanoseconds: Int64 = 0
  let context = RequestContext()
  private let start = monotonicNanoseconds()

  /// Begins when a request's head is complete, or when a request is refused without one.
  init(method: Method? = nil, peer: String) {
    self.method = method
    self.peer = peer
  }

  /// The application's findings about the request.
  package var facts: RequestContext.Facts { context.facts }

  mutating func end(isComplete: Bool) {
    self.isComplete = isComplete
    nanoseconds = monotonicNanoseconds() - start
  }
}
