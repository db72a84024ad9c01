import HTTPMessages
import Logging
import Platform
import SelfieAPI
import SelfieTestDocuments

// The responses of the control interface to what it refuses. `ControlError` is one refusal, and JSONResponse.swift has the
// others.
extension Worlds {
  /// The one place where errors of the control interface become responses.
  func response(to error: any Error) -> Response {
    switch error {
    case let error as ControlError: error.response
    case let error as ExchangeMismatch: error.response
    case let error as ParameterError: ControlError.invalid(error.message).response
    case BodyError.outOfMemory: response(to: .busy, error)
    case BodyError.tooLarge(let limit):
      ControlError(.contentTooLarge, "The body is larger than the \(limit) bytes that this address accepts.").response
    case let error as BodyError: ControlError.invalid("The body could not be read: \(error).").response
    default: response(to: StorageFailure(error).kind, error)
    }
  }

  private func response(to failure: StorageFailure.Kind, _ error: any Error) -> Response {
    switch failure {
    case .busy:
      return .error(.serviceUnavailable, "The server is busy, and did nothing. Try again in a moment.")
    case .full:
      logger.error("the disk is full", metadata: ["error": "\(error)"])
      return .error(
        .insufficientStorage,
        """
        There is no room left for it. POST /__admin/reset, DELETE /__admin/worlds/NAME and \
        DELETE /__admin/snapshots/NAME make some.
        """)
    // A world has a database of its own.
    case .failing, .damaged, .locked, .unexpected, .databaseAway, .objectsAway, .outcomeUnknown:
      logger.error("a request to the control interface failed", metadata: ["error": "\(error)"])
      return .error(.internalServerError, "Something went wrong on the server: \(error).")
    }
  }
}

extension ControlError {
  fileprivate var response: Response { .error(status, description, fieldLines: fieldLines) }
}

extension ExchangeMismatch {
  /// With the description, for clients that do not make one of the other members.
  fileprivate var response: Response {
    .json(Joined(self, ["text": description]), .unprocessableContent, writesNull: true)
  }
}

extension Response {
  fileprivate static func error(_ status: Status, _ message: String, fieldLines: String = "") -> Response {
    var response = json(ErrorMessage(status: status.code, message: message), status)
    response.fields.append(lines: Array(fieldLines.utf8))
    // A client that is to come again must know when.
    if status == .serviceUnavailable { response.fields.append("Retry-After", "1" as StaticString) }
    return response
  }
}
