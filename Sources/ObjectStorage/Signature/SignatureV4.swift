import Cryptography
import Glibc

/// AWS Signature Version 4 for Amazon S3, and for the servers that speak its protocol.
package struct SignatureV4: Sendable {
  private let accessKeyID: String
  private let secretAccessKey: String
  private let region: String

  private static let algorithm = "AWS4-HMAC-SHA256"
  private static let unsigned = "UNSIGNED-PAYLOAD"

  init(accessKeyID: String, secretAccessKey: String, region: String) {
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.region = region
  }

  /// The header fields that make a request authentic, except `Host`.
  ///
  /// - Parameters:
  ///   - host: with the port unless it is the scheme's own, as in the `Host` field.
  ///   - path: percent-encoded, with a slash at its beginning.
  ///   - headers: further header fields, all of which are signed.
  ///   - digest: the SHA-256 of the body; nil for a signature that does not protect it.
  package func headers(
    method: String, host: String, path: String, headers: [(name: String, value: String)] = [], digest: [UInt8]?,
    at seconds: Int64
  ) -> [(name: String, value: String)] {
    let (time, payload) = (Self.timestamp(seconds), digest.map { Digest.hex($0) } ?? Self.unsigned)
    let added = [(name: "x-amz-content-sha256", value: payload), (name: "x-amz-date", value: time)]
    let canonical = CanonicalRequest(
      method: method, path: path, query: [], headers: headers + [(name: "host", value: host)] + added,
      payload: payload)
    let authorization =
      "\(Self.algorithm) Credential=\(accessKeyID)/\(scope(time)), SignedHeaders=\(canonical.signedHeaders), "
      + "Signature=\(signature(of: canonical, at: time))"
    return added + [(name: "authorization", value: authorization)]
  }

  /// The query of an address at which anybody may GET an object until so many seconds have passed.
  ///
  /// - Parameter query: of the request itself, such as `response-content-type`; it is signed, too.
  func presignedQuery(
    host: String, path: String, query: [(name: String, value: String)] = [], at seconds: Int64, validFor duration: Int
  ) -> String {
    let time = Self.timestamp(seconds)
    let canonical = CanonicalRequest(
      method: "GET", path: path,
      query: query + [
        (name: "X-Amz-Algorithm", value: Self.algorithm),
        (name: "X-Amz-Credential", value: "\(accessKeyID)/\(scope(time))"),
        (name: "X-Amz-Date", value: time),
        (name: "X-Amz-Expires", value: String(duration)),
        (name: "X-Amz-SignedHeaders", value: "host"),
      ],
      headers: [(name: "host", value: host)], payload: Self.unsigned)
    return "\(canonical.query)&X-Amz-Signature=\(signature(of: canonical, at: time))"
  }

  /// Such as 20130524T000000Z.
  private static func timestamp(_ secondsSince1970: Int64) -> String {
    var (seconds, date) = (time_t(secondsSince1970), tm())
    gmtime_r(&seconds, &date)
    let parts = [date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec]
    let digits = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "\(1900 + date.tm_year)\(digits[0])\(digits[1])T\(digits[2...].joined())Z"
  }

  /// The day, the region, and what the signature is for.
  private func scope(_ time: String) -> String { "\(time.prefix { $0 != "T" })/\(region)/s3/aws4_request" }

  private func signature(of request: CanonicalRequest, at time: String) -> String {
    let digest = Digest.hex(Digest.sha256(Array(request.text.utf8)))
    let toSign = "\(Self.algorithm)\n\(time)\n\(scope(time))\n\(digest)"
    let key = scope(time).split(separator: "/").reduce(Array("AWS4\(secretAccessKey)".utf8)) { key, part in
      Digest.hmacSHA256(Array(part.utf8), key: key)
    }
    return Digest.hex(Digest.hmacSHA256(Array(toSign.utf8), key: key))
  }
}

/// Whatever prints a signer or looks into it finds no secret.
extension SignatureV4: CustomStringConvertible, CustomReflectable {
  package var description: String { "SignatureV4(accessKeyID: \(accessKeyID), region: \(region))" }

  package var customMirror: Mirror {
    Mirror(self, children: ["accessKeyID": accessKeyID, "region": region], displayStyle: .struct)
  }
}
