/// Why an object store did not do what it was asked for. ObjectResponse.swift finds the error of a response.
package enum ObjectStoreError: Error, Equatable, CustomStringConvertible {
  /// There is no object with the key.
  case missing
  /// Too many requests wait for the store already.
  case busy
  /// The store cannot be reached, is too slow, or has asked for another try later. It may do it later. What was to be
  /// put or deleted may be so already.
  case unavailable(reason: String, retryAfterSeconds: Int64?)
  /// The store does not do it, such as for a wrong secret.
  case refused(status: Int, code: String?)
  /// Another host may have responded.
  case untrusted(String)
  /// The response is not what the protocol says.
  case malformedResponse(String)
  /// The request was not sent, since its task was cancelled.
  case cancelled
  /// The request could not be made, such as for a lack of memory, or since its content cannot be read.
  case failed(String)

  static func away(_ reason: String) -> ObjectStoreError { .unavailable(reason: reason, retryAfterSeconds: nil) }

  /// Whether the store has no room, or not for this bucket.
  package var isFull: Bool {
    switch self {
    // The last is what OpenStack Swift says of a bucket's quota. An object may be far larger than a photo.
    case .refused(507, _), .refused(_, "QuotaExceeded"?), .refused(_, "EntityTooLarge"?): true
    default: false
    }
  }

  /// Whether the store has no such bucket.
  package var isBucketMissing: Bool {
    if case .refused(_, "NoSuchBucket"?) = self { true } else { false }
  }

  package var description: String {
    switch self {
    case .missing: "The object store has no such object."
    case .busy: "Too many requests wait for the object store."
    case .unavailable(let reason, _): "The object store is not available: \(reason)."
    case .refused(let status, let code):
      "The object store has refused a request: \(status)\(code.map { " \($0)" } ?? "")."
        + (Self.ofOwner.contains(code ?? "") ? " \(Self.problem(status, code, "use"))" : "")
    case .untrusted(let reason): "The object store's certificate is not valid: \(reason)."
    case .malformedResponse(let reason): "The object store's response is malformed: \(reason)."
    case .cancelled: "A request to the object store was cancelled."
    case .failed(let reason): "A request to the object store cannot be made: \(reason)."
    }
  }

  /// The error as a sentence for an owner, which names the setting where one is wrong.
  ///
  /// - Parameter action: what the store was asked to do with an object, such as `read`.
  func problem(to action: String) -> String {
    switch self {
    case .refused(let status, let code): Self.problem(status, code, action)
    case .missing: "The object store has lost an object that it has just taken."
    case .unavailable(let reason, _): "S3_ENDPOINT: the object store cannot be reached: \(reason)."
    case .untrusted(let reason): "S3_ENDPOINT: the certificate is not valid: \(reason)."
    case .malformedResponse(let reason): "S3_ENDPOINT is not an object store: \(reason)."
    case .busy, .cancelled, .failed: description
    }
  }

  /// Codes that an owner's settings or clock can cause while a server runs.
  private static let ofOwner = ["RequestTimeTooSkewed", "PermanentRedirect", "AuthorizationHeaderMalformed"]

  private static func problem(_ status: Int, _ code: String?, _ action: String) -> String {
    switch code {
    case "NoSuchBucket", "InvalidBucketName": "S3_BUCKET: the object store has no such bucket."
    case "InvalidAccessKeyId": "S3_ACCESS_KEY_ID: the object store does not know it."
    // Some stores say this of a key that they do not know, too.
    case "SignatureDoesNotMatch":
      "S3_SECRET_ACCESS_KEY is not the secret of S3_ACCESS_KEY_ID, or the object store does not know the latter."
    case "AccessDenied": "S3_ACCESS_KEY_ID: this access key may not \(action) objects in S3_BUCKET."
    case "AuthorizationHeaderMalformed": "S3_REGION: the object store is in another region."
    case "PermanentRedirect", "TemporaryRedirect":
      "S3_ENDPOINT: the bucket is at another address, such as that of another region."
    case "RequestTimeTooSkewed":
      "The clock of this machine, or of the object store, is wrong: they differ by more than the store accepts."
    case nil: "S3_ENDPOINT is not an object store: it responded with \(status)."
    case let code?: "The object store has refused to \(action) an object: \(status) \(code)."
    }
  }
}
