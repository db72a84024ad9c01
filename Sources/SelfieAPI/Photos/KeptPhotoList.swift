import HTTPMessages

/// A list of photos that was read.
final class KeptPhotoList: Sendable {
  let token: Token
  /// Of the request: it is part of the photos' addresses.
  let host: [UInt8]
  /// Nil if the list is long: then it is read page by page, for each request.
  let content: (json: [UInt8], tag: ETag)?

  var isLong: Bool { content == nil }

  /// Without what each list has.
  var byteCount: Int { host.count + (content?.json.count ?? 0) }

  init(token: Token, host: [UInt8], json: [UInt8]?) {
    (self.token, self.host) = (token, host)
    content = json.map { ($0, ETag(of: $0)) }
  }
}
