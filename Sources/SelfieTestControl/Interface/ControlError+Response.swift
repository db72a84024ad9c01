import HTTPMessages
import Platform
import SelfieAPI

extension Worlds {
  /// The one place where errors of the control interface become responses.
  func response(to error: any Error) -> Response {
    switch error {
    case let error as ControlError: return error.response
    case let error as StateError: return ControlError(error.kind.status, error.description).response
    case BodyError.outOfMemory, is MemoryExhausted: return response(to: .busy, error)
    case let error as BodyError: return ControlError.badRequest("The body could not be read: \(error).").response
    default: return response(to: StorageFailure(error).kind, error)
    }
  }

  private func response(to failure: StorageFailure.Kind, _ error: any Error) -> Response {
    switch failure {
    case .busy:
      return ControlError(
        .serviceUnavailable, "The server is busy, and has done nothing. Try again in a moment."
      ).response
    case .full:
      logger.error("the disk is full", metadata: ["error": "\(error)"])
      return ControlError(
        .insufficientStorage,
        """
        There is no room left for it. POST /__admin/reset, DELETE /__admin/worlds/NAME and \
        DELETE /__admin/snapshots/NAME make some.
        """
      ).response
    // A world has a database of its own.
    case .failing, .unexpected, .away, .outcomeUnknown:
      logger.error("a request to the control interface failed", metadata: ["error": "\(error)"])
      return ControlError(.internalServerError, "Something went wrong on the server: \(error).").response
    }
  }
}

extension ControlError {
  fileprivate var response: Response {
    var response = Response.json(status) { StatusMessage.write(status.code, message, to: &$0) }
    if let allowed { response.fields.append("Allow", allowed) }
    if let realm { response.fields.append("WWW-Authenticate", "Basic realm=\"\(realm)\"") }
    if let retryAfter { response.fields.append("Retry-After", "\(retryAfter)") }
    return response
  }
}

extension StateError.Kind {
  fileprivate var status: Status {
    switch self {
    case .invalid: .badRequest
    case .notFound: .notFound
    case .conflict: .conflict
    case .full: .tooManyRequests
    }
  }
}
