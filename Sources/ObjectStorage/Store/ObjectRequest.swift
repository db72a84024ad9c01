import Cryptography
import HTTPClient

/// A request before it is signed. Each attempt has a signature of its own, since a signature has its time.
struct ObjectRequest: Sendable {
  let method: ClientRequest.Method
  let key: String
  var fields: [(name: String, value: String)] = []
  var content = RequestContent.none
  /// The SHA-256 of the content.
  var digest = Digest.sha256([])
  var maxBodyBytes = 0

  /// - Parameter seconds: Unix time.
  func signed(_ settings: ObjectStoreSettings, at seconds: Int64) -> ClientRequest {
    let address = settings.address
    let signature = settings.signature.headers(
      for: SignableRequest(
        method: method.rawValue, host: address.host, path: address.path(of: key), headers: fields,
        payload: .sha256(digest)), at: seconds)
    // A store that compressed content would change its length and its ranges.
    let unsigned = [(name: "Host", value: address.host), (name: "Accept-Encoding", value: "identity")]
    return ClientRequest(
      method: method, url: address.url(of: key), fields: fields + signature + unsigned, content: content,
      maxBodyBytes: maxBodyBytes)
  }
}

extension RequestContent {
  /// SHA-256. Reads a file from its beginning to the end of the content.
  func digest() throws(ClientError) -> [UInt8] {
    var (digest, offset) = (SHA256(), Int64(0))
    while offset < byteCount {
      let chunk = try bytes(at: offset, maxBytes: 256 * 1024)
      digest.update(chunk)
      offset += Int64(chunk.count)
    }
    return digest.finish()
  }
}
