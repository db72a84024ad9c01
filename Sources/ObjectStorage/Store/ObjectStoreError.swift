import HTTPClient

/// Why an object store did not do what it was asked for.
public enum ObjectStoreError: Error, Equatable, CustomStringConvertible {
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
  /// What was to be put cannot be read.
  case unreadableContent(String)
  /// The request was not sent, since its task was cancelled.
  case cancelled
  /// The request could not be made.
  case failed(String)

  /// Whether the store has no room, or not for this bucket.
  public var isFull: Bool {
    switch self {
    // The last is what OpenStack Swift says of a bucket's quota. An object may be far larger than a photo.
    case .refused(507, _), .refused(_, "QuotaExceeded"?), .refused(_, "EntityTooLarge"?): true
    default: false
    }
  }

  /// Whether the store has no such bucket.
  public var isBucketMissing: Bool {
    if case .refused(_, "NoSuchBucket"?) = self { true } else { false }
  }

  public var description: String {
    switch self {
    case .missing: "The object store has no such object."
    case .busy: "Too many requests wait for the object store."
    case .unavailable(let reason, _): "The object store is not available: \(reason)."
    case .refused(let status, let code):
      "The object store has refused a request: \(status)\(code.map { " \($0)" } ?? "")."
    case .untrusted(let reason): "The object store's certificate is not valid: \(reason)."
    case .malformedResponse(let reason): "The object store's response is malformed: \(reason)."
    case .unreadableContent(let reason): "What was to be stored cannot be read: \(reason)."
    case .cancelled: "A request to the object store was cancelled."
    case .failed(let reason): "A request to the object store cannot be made: \(reason)."
    }
  }

  init(_ error: ClientError) {
    switch error {
    case .unreachable(let reason), .timedOut(let reason), .lost(let reason):
      self = .unavailable(reason: reason, retryAfterSeconds: nil)
    case .untrusted(let reason): self = .untrusted(reason)
    case .malformedResponse(let reason): self = .malformedResponse(reason)
    case .unreadableContent(let reason): self = .unreadableContent(reason)
    case .failed(let reason): self = .failed(reason)
    }
  }
}
