/// How a request is responded to.
public enum Reply: Sendable {
  /// Without a wait, and so without a task.
  case now(Response)
  /// By a function that may wait.
  case later(@Sendable () async -> Response)

  /// Changes the response, whether it is there now or comes later.
  public func map(_ change: @escaping @Sendable (Response) -> Response) -> Reply {
    switch self {
    case .now(let response): .now(change(response))
    case .later(let respond): .later { change(await respond()) }
    }
  }

  public var response: Response {
    get async {
      switch self {
      case .now(let response): response
      case .later(let respond): await respond()
      }
    }
  }
}
