package import Platform

/// Where a bucket is, and who may use it. The values are checked, unlike the owner's texts in `ClusterSettings` in
/// SelfieOperations.
package struct ObjectStoreSettings: Sendable {
  /// Either `https` or `http`.
  let scheme: String
  /// As in the `Host` field.
  package let host: String
  /// The part of the path before an object's key. It begins and ends with a slash.
  private let pathPrefix: String
  package let signature: SignatureV4

  /// - Parameter bucketIsInHost: whether URLs are like `https://bucket.s3.example/key`, which Amazon prefers, and not
  ///   like `https://s3.example/bucket/key`, which servers of one's own take.
  /// - Throws: every problem as a sentence that names the setting, none of which has the secret in it.
  package init(
    endpoint: String, bucket: String, region: String, accessKeyID: String, secretAccessKey: String,
    bucketIsInHost: Bool = false
  ) throws(ConfigurationError) {
    var problems: [String] = []
    let parsed = Self.parse(endpoint)
    if parsed == nil {
      problems.append(
        "S3_ENDPOINT must be a URL without a path, a query and a password, such as https://s3.example or "
          + "http://127.0.0.1:9000.")
    } else if bucketIsInHost, parsed?.isNumeric == true {
      problems.append("S3_ENDPOINT must have a name, and not a number, where the bucket's name is a part of the host.")
    }
    if bucket.wholeMatch(of: /[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/) == nil || bucket.contains("..") {
      problems.append(
        "S3_BUCKET must have 3 to 63 lower-case letters, digits, dots and hyphens, and a letter or a digit at both "
          + "ends.")
    } else if bucketIsInHost, parsed?.scheme == "https", bucket.contains(".") {
      problems.append("S3_BUCKET must have no dot where it is a part of the host: no certificate is valid for it.")
    }
    // Amazon's keys are at most 128 bytes long.
    if region.wholeMatch(of: /[A-Za-z0-9_-]{1,1024}/) == nil {
      problems.append("S3_REGION must have letters, digits and hyphens only, such as eu-central-1.")
    }
    if accessKeyID.wholeMatch(of: /[!-+.0-~-]{1,1024}/) == nil {
      problems.append("S3_ACCESS_KEY_ID must have printable ASCII characters only, and no spaces, slashes and commas.")
    }
    if secretAccessKey.wholeMatch(of: /[!-~]{1,1024}/) == nil {
      problems.append("S3_SECRET_ACCESS_KEY must have printable ASCII characters only, and no spaces.")
    }
    guard let parsed, problems.isEmpty else { throw ConfigurationError(problems: problems) }
    scheme = parsed.scheme
    host = bucketIsInHost ? "\(bucket).\(parsed.host)" : parsed.host
    pathPrefix = bucketIsInHost ? "/" : "/\(bucket)/"
    signature = SignatureV4(accessKeyID: accessKeyID, secretAccessKey: secretAccessKey, region: region)
  }

  /// The parts of a URL without a path.
  private struct Endpoint {
    let scheme: String
    /// With the port unless it is the scheme's own: clients leave that out of `Host`, which is signed.
    let host: String
    /// Before a number no bucket's name can stand.
    let isNumeric: Bool
  }

  /// Nil if the text is no URL without a path.
  private static func parse(_ endpoint: String) -> Endpoint? {
    let url = /(https?):\/\/(\[[0-9a-f.]*:[0-9a-f:.]*\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}))?\/?/
    guard let match = endpoint.lowercased().wholeMatch(of: url) else { return nil }
    let (scheme, name, ownPort) = (String(match.1), String(match.2), match.1 == "https" ? 443 : 80)
    let port = match.3.flatMap { Int($0) } ?? ownPort
    guard (1...65_535).contains(port) else { return nil }
    let isNumeric = name.wholeMatch(of: /\[.*\]|[0-9.]+/) != nil
    return Endpoint(scheme: scheme, host: port == ownPort ? name : "\(name):\(port)", isNumeric: isNumeric)
  }

  /// The percent-encoded path of an object.
  package func path(of key: String) -> String { pathPrefix + key.uriEncoded(keepsSlashes: true) }

  package func url(of key: String) -> String { "\(scheme)://\(host)\(path(of: key))" }
}
