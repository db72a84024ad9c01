import Cryptography

/// AWS Signature Version 4 for Amazon S3, and for the servers that speak its protocol.
public struct SignatureV4: Sendable {
  private let accessKeyID: String
  private let secretAccessKey: String
  private let region: String

  public init(accessKeyID: String, secretAccessKey: String, region: String) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.region = region
  }

  /// The header fields that make a request authentic, except `Host`.
  public func headers(for request: SignableRequest, at seconds: Int64) -> [(name: String, value: String)] {
    let date = SignatureDate(seconds)
    let added = [
      (name: "x-amz-content-sha256", value: request.payload.text),
      (name: "x-amz-date", value: date.timestamp),
    ]
    let canonical = CanonicalRequest(
      method: request.method, path: request.path, query: request.query,
      headers: request.headers + [(name: "host", value: request.host)] + added, payload: request.payload.text)
    let authorization =
      "\(Self.algorithm) Credential=\(accessKeyID)/\(scope(date)), SignedHeaders=\(canonical.signedHeaders), "
      + "Signature=\(signature(of: canonical, at: date))"
    return added + [(name: "authorization", value: authorization)]
  }

  /// The query of an address at which anybody may GET an object until so many seconds have passed.
  ///
  /// - Parameter query: of the request itself, such as `response-content-type`; it is signed, too.
  public func presignedQuery(
    host: String, path: String, query: [(name: String, value: String)] = [], at seconds: Int64, validFor duration: Int
  ) -> String {
    let date = SignatureDate(seconds)
    let canonical = CanonicalRequest(
      method: "GET", path: path,
      query: query + [
        (name: "X-Amz-Algorithm", value: Self.algorithm),
        (name: "X-Amz-Credential", value: "\(accessKeyID)/\(scope(date))"),
        (name: "X-Amz-Date", value: date.timestamp),
        (name: "X-Amz-Expires", value: String(duration)),
        (name: "X-Amz-SignedHeaders", value: "host"),
      ],
      headers: [(name: "host", value: host)], payload: SignableRequest.Payload.unsigned.text)
    return "\(canonical.query)&X-Amz-Signature=\(signature(of: canonical, at: date))"
  }

  private static let algorithm = "AWS4-HMAC-SHA256"

  private func scope(_ date: SignatureDate) -> String { "\(date.day)/\(region)/s3/aws4_request" }

  private func signature(of request: CanonicalRequest, at date: SignatureDate) -> String {
    let digest = Digest.hex(Digest.sha256(Array(request.text.utf8)))
    let toSign = "\(Self.algorithm)\n\(date.timestamp)\n\(scope(date))\n\(digest)"
    let key = [date.day, region, "s3", "aws4_request"].reduce(Array("AWS4\(secretAccessKey)".utf8)) { key, part in
      Digest.hmacSHA256(Array(part.utf8), key: key)
    }
    return Digest.hex(Digest.hmacSHA256(Array(toSign.utf8), key: key))
  }
}

/// Whatever prints a signer or looks into it finds no secret.
extension SignatureV4: CustomStringConvertible, CustomReflectable {
  public var description: String { "SignatureV4(accessKeyID: \(accessKeyID), region: \(region))" }

  public var customMirror: Mirror {
    Mirror(self, children: ["accessKeyID": accessKeyID, "region": region], displayStyle: .struct)
  }
}

extension SignableRequest.Payload {
  var text: String {
    switch self {
    case .sha256(let digest): Digest.hex(digest)
    case .unsigned: "UNSIGNED-PAYLOAD"
    }
  }
}
