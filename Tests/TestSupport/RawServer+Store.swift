/// Responses of an object store.
extension RawServer.Reply {
  /// To a PUT.
  package static let stored = response(200, ["ETag: \"x\""])

  /// An error as S3 describes it.
  package static func error(_ status: Int, _ code: String, _ fields: [String] = []) -> RawServer.Reply {
    let body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>\(code)</Code><Message>x</Message></Error>"
    return .response(status, fields + ["Content-Type: application/xml"], body: Array(body.utf8))
  }
}
