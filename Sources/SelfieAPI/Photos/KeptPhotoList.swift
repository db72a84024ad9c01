import HTTPMessages

/// A list of photos that was sent.
final class KeptPhotoList: Sendable {
  let token: Token
  /// Of the request: it is part of the photos' addresses.
  let host: [UInt8]
  let json: [UInt8]
  let tag: ETag

  init(token: Token, host: [UInt8], json: [UInt8], tag: ETag) {
    (self.token, self.host, self.json, self.tag) = (token, host, json, tag)
  }
}
