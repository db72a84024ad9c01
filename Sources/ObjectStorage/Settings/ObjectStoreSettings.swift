import Platform

/// Where a bucket is, and who may use it.
package struct ObjectStoreSettings: Sendable {
  /// How the bucket is named in a URL.
  package enum Style: Sendable {
    /// `https://s3.example/bucket/key`, which servers of one's own take.
    case path
    /// `https://bucket.s3.example/key`, which Amazon prefers.
    case virtual
  }

  /// Either `https` or `http`.
  let scheme: String
  /// As in the `Host` field.
  package let host: String
  /// What comes before an object's key. It begins and ends with a slash.
  private let pathPrefix: String
  package let signature: SignatureV4

  /// - Throws: every problem as a sentence that names the setting, none of which has the secret in it.
  package init(
    endpoint: String, bucket: String, region: String, accessKeyID: String, secretAccessKey: String,
    style: Style = .path
  ) throws(ConfigurationError) {
    var problems: [String] = []
    let parsed = Endpoint(endpoint)
    if parsed == nil {
      problems.append(
        "S3_ENDPOINT must be a URL without a path, a query and a password, such as https://s3.example or "
          + "http://127.0.0.1:9000.")
    } else if style == .virtual, parsed?.isNumeric == true {
      problems.append("S3_ENDPOINT must have a name, and not a number, where the bucket's name is a part of the host.")
    }
    if bucket.wholeMatch(of: /[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/) == nil || bucket.contains("..") {
      problems.append(
        "S3_BUCKET must have 3 to 63 lower-case letters, digits, dots and hyphens, and a letter or a digit at both "
          + "ends.")
    } else if style == .virtual, parsed?.scheme == "https", bucket.contains(".") {
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
    switch style {
    case .path: (host, pathPrefix) = (parsed.host, "/\(bucket)/")
    case .virtual: (host, pathPrefix) = ("\(bucket).\(parsed.host)", "/")
    }
    signature = SignatureV4(accessKeyID: accessKeyID, secretAccessKey: secretAccessKey, region: region)
  }

  /// The percent-encoded path of an object.
  package func path(of key: String) -> String { pathPrefix + URIEncoding.encodePath(key.utf8) }

  package func url(of key: String) -> String { "\(scheme)://\(host)\(path(of: key))" }
}
