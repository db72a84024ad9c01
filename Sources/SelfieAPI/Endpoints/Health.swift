import HTTPMessages

extension Application {
  /// Whether a request is for an address that monitors and people ask for at any time, and clients of the API never do:
  /// `/`, `/up` or `/readyz`.
  package static func isAboutServer(_ request: Request) -> Bool {
    switch Route(path: request.head.path) {
    case .home?, .health?, .readiness?: true
    default: false
    }
  }

  /// `GET /up`: 200 while the server serves.
  func health(_ request: Request) -> Response {
    success(JSONWriter.object { $0.member("status", "up") }, for: request)
  }

  /// `GET /readyz`: 200 while what is answered with 200 can be stored; else 503, and why not.
  func readiness(_ request: Request) async throws -> Response {
    if let problem = await readiness.problem() {
      throw APIError(.serviceUnavailable, problem.message, reason: "not_ready", retryAfter: 1)
    }
    return success(JSONWriter.object { $0.member("status", "ready") }, for: request, isConditional: false)
  }
}
