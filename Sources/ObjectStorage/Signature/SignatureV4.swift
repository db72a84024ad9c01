import Cryptography
import HTTPMessages
import Platform

/// AWS Signature Version 4 for Amazon S3, and for the servers that speak its protocol. `ObjectStore` sends the signed
/// requests.
package struct SignatureV4: Sendable {
  let accessKeyID: String
  let secretAccessKey: String
  let region: String
  private let lastKey = Monitor((scope: "", key: [UInt8]()))

  private static let algorithm = "AWS4-HMAC-SHA256"
  private static let unsigned = "UNSIGNED-PAYLOAD"

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
    let signed = (headers + [(name: "host", value: host)] + added).map { ($0.name.lowercased(), $0.value) }
      .sorted { $0.0 < $1.0 }
    let request = Self.canonical(method, path, query: "", signed, payload: payload)
    let authorization =
      "\(Self.algorithm) Credential=\(accessKeyID)/\(scope(time)), "
      + "SignedHeaders=\(signed.map(\.0).joined(separator: ";")), Signature=\(signature(of: request, at: time))"
    return added + [(name: "authorization", value: authorization)]
  }

  /// The query of an address at which anybody may GET an object until so many seconds have passed.
  ///
  /// - Parameter query: of the request itself, such as `response-content-type`; it is signed, too.
  func presignedQuery(
    host: String, path: String, query: [(name: String, value: String)] = [], at seconds: Int64, validFor duration: Int
  ) -> String {
    let time = Self.timestamp(seconds)
    let pairs =
      query + [
        (name: "X-Amz-Algorithm", value: Self.algorithm),
        (name: "X-Amz-Credential", value: "\(accessKeyID)/\(scope(time))"),
        (name: "X-Amz-Date", value: time),
        (name: "X-Amz-Expires", value: String(duration)),
        (name: "X-Amz-SignedHeaders", value: "host"),
      ]
    // Sorted after they are encoded: `%` comes before all letters and digits.
    let encoded = pairs.map { ($0.name.uriEncoded(), $0.value.uriEncoded()) }.sorted { $0 < $1 }
      .map { "\($0)=\($1)" }.joined(separator: "&")
    let request = Self.canonical("GET", path, query: encoded, [("host", host)], payload: Self.unsigned)
    return "\(encoded)&X-Amz-Signature=\(signature(of: request, at: time))"
  }

  /// The one spelling of a request that its sender and its receiver sign.
  ///
  /// - Parameter headers: sorted by their names, which are different and in lower case. Values have no white space at
  ///   their ends or twice in a row.
  private static func canonical(
    _ method: String, _ path: String, query: String, _ headers: [(String, String)], payload: String
  ) -> String {
    let lines = headers.map { "\($0):\($1)\n" }.joined()
    let names = headers.map(\.0).joined(separator: ";")
    return "\(method)\n\(path)\n\(query)\n\(lines)\n\(names)\n\(payload)"
  }

  /// Such as 20130524T000000Z.
  private static func timestamp(_ seconds: Int64) -> String {
    Timestamp.text(unixMilliseconds: seconds * 1000).prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
  }

  /// The day, the region, and what the signature is for.
  private func scope(_ time: String) -> String { "\(time.prefix { $0 != "T" })/\(region)/s3/aws4_request" }

  private func signature(of request: String, at time: String) -> String {
    let digest = Digest.hex(Digest.sha256(Array(request.utf8)))
    let toSign = "\(Self.algorithm)\n\(time)\n\(scope(time))\n\(digest)"
    return Digest.hex(Digest.hmacSHA256(Array(toSign.utf8), key: key(for: scope(time))))
  }

  /// The key of a day. The last one is kept, since four of a request's six digests are for it.
  private func key(for scope: String) -> [UInt8] {
    lastKey.withLock { last in
      if last.scope != scope {
        last.scope = scope
        last.key = scope.split(separator: "/").reduce(Array("AWS4\(secretAccessKey)".utf8)) { key, part in
          Digest.hmacSHA256(Array(part.utf8), key: key)
        }
      }
      return last.key
    }
  }
}

/// Keeps the secret out of what is printed or dumped of a signer.
extension SignatureV4: CustomStringConvertible, CustomReflectable {
  package var description: String { "SignatureV4(accessKeyID: \(accessKeyID), region: \(region))" }

  package var customMirror: Mirror {
    Mirror(self, children: ["accessKeyID": accessKeyID, "region": region], displayStyle: .struct)
  }
}
