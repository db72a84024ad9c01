/// Runs before the application: it can respond to a request itself, or change the application's response. `Responder` in
/// HTTPServer puts the application behind a list of these.
package protocol Middleware: Sendable {
  /// Responds to a request, or lets `next` do so.
  func handle(_ request: Request, next: @escaping @Sendable (Request) -> Reply) -> Reply

  /// Changes the response to a request that the HTTP server itself refuses, so that nobody else sees it.
  func handle(refusal: inout Response, of request: RefusedRequest)
}

extension Middleware {
  package func handle(refusal: inout Response, of request: RefusedRequest) {}
}
