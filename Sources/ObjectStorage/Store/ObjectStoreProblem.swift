/// Why the objects of a bucket cannot be used, as a sentence that names the setting where one is wrong.
public struct ObjectStoreProblem: Error, CustomStringConvertible {
  /// What the store was asked to do.
  enum Action: String {
    case put = "store"
    case get = "read"
    case delete = "delete"
  }

  public let description: String
  public let cause: ObjectStoreError

  init(_ error: ObjectStoreError, in action: Action) {
    cause = error
    description =
      switch error {
      case .refused(let status, let code): Self.refusal(status, code, action)
      case .missing: "The object store has lost an object that it has just taken."
      case .unavailable(let reason, _): "S3_ENDPOINT: the object store cannot be reached: \(reason)."
      case .untrusted(let reason): "S3_ENDPOINT: the certificate is not valid: \(reason)."
      case .malformedResponse(let reason): "S3_ENDPOINT: what responds there is no object store: \(reason)."
      case .busy, .unreadableContent, .cancelled, .failed: error.description
      }
  }

  private static func refusal(_ status: Int, _ code: String?, _ action: Action) -> String {
    switch code {
    case "NoSuchBucket", "InvalidBucketName": "S3_BUCKET: the object store has no such bucket."
    case "InvalidAccessKeyId": "S3_ACCESS_KEY_ID: the object store does not know it."
    // Some stores say this of a key that they do not know, too.
    case "SignatureDoesNotMatch":
      "S3_SECRET_ACCESS_KEY is not the secret of S3_ACCESS_KEY_ID, or the object store does not know the latter."
    case "AccessDenied": "S3_ACCESS_KEY_ID: its owner may not \(action.rawValue) objects in S3_BUCKET."
    case "AuthorizationHeaderMalformed": "S3_REGION: the object store is in another region."
    case "PermanentRedirect", "TemporaryRedirect":
      "S3_ENDPOINT: the bucket is at another address, such as that of another region."
    case "RequestTimeTooSkewed":
      "The clock of this machine, or of the object store, is wrong: they differ by more than the store accepts."
    case nil: "S3_ENDPOINT: what responds there is no object store: it responded \(status)."
    case let code?: "The object store has refused to \(action.rawValue) an object: \(status) \(code)."
    }
  }
}
