/// Whether a request is responded to at once or later. The response itself is a `Response`.
package enum Reply: Sendable {
  /// Without a wait, and so without a task.
  case now(Response)
  /// By a function that may wait.
  case later(@Sendable () async -> Response)

  /// Changes the response, whether it is there now or comes later.
  package consuming func map(_ change: @escaping @Sendable (inout Response) -> Void) -> Reply {
    switch consume self {
    case .now(var response):
      change(&response)
      return .now(response)
    case .later(let respond):
      return .later {
        var response = await respond()
        change(&response)
        return response
      }
    }
  }

  package var response: Response {
    get async {
      switch self {
      case .now(let response): response
      case .later(let respond): await respond()
      }
    }
  }
}
