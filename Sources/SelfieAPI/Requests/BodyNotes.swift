package import HTTPMessages
import Platform

/// Takes the parameters that the application finds in the body of one request, for the journal of a test's server. Other
/// servers have none: `Call` and UploadPhoto.swift then note nothing.
package final class BodyNotes: Sendable {
  package struct Found: Sendable {
    package var parameters: [String: ParameterValue] = [:]
    /// Whether the end of a multipart body was found, after which nothing is read.
    package var hasEnd = false
    /// Why parameters are missing.
    package var problem: String?
    /// The byte of the body at which the problem was found; nil if no byte is to blame.
    package var offset: Int?
  }

  private let state = Monitor(Found())

  package init() {}

  package var found: Found { state.withLock(\.self) }

  package func note(_ parameters: [String: ParameterValue]) { state.withLock { $0.parameters = parameters } }

  /// Notes that the end of a multipart body was found.
  package func noteEnd() { state.withLock { $0.hasEnd = true } }

  /// Notes the parameters of a body that was read up to an error. The first error counts.
  package func note(_ error: any Error, after parameters: [String: ParameterValue] = [:]) {
    let problem =
      switch error {
      case let error as ParameterError: error.message
      case let error as APIError: error.message
      case is BodyError: nil as String?
      default: "\(error)"
      }
    state.withLock { found in
      if found.parameters.isEmpty { found.parameters = parameters }
      guard found.problem == nil else { return }
      (found.problem, found.offset) = (problem, (error as? ParameterError)?.offset)
    }
  }
}
