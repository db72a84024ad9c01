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
    if !Self.isBucketName(bucket) {
      problems.append(
        "S3_BUCKET must have 3 to 63 lower-case letters, digits, dots and hyphens, and a letter or a digit at both "
          + "ends.")
    } else if style == .virtual, parsed?.scheme == "https", bucket.contains(".") {
      problems.append("S3_BUCKET must have no dot where it is a part of the host: no certificate is valid for it.")
    }
    if !Self.isWord(region, of: { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) {
      problems.append("S3_REGION must have letters, digits and hyphens only, such as eu-central-1.")
    }
    if !Self.isWord(accessKeyID, of: Self.isPrintable) || accessKeyID.contains("/") || accessKeyID.contains(",") {
      problems.append("S3_ACCESS_KEY_ID must have printable ASCII characters only, and no spaces, slashes and commas.")
    }
    if !Self.isWord(secretAccessKey, of: Self.isPrintable) {
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

  private static func isBucketName(_ name: String) -> Bool {
    let isLetterOrDigit = { (byte: UInt8) in byte.isASCIIAlphanumeric && byte == byte.asciiLowercased }
    guard (3...63).contains(name.utf8.count), let first = name.utf8.first, let last = name.utf8.last else {
      return false
    }
    return isLetterOrDigit(first) && isLetterOrDigit(last) && !name.contains("..")
      && name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
  }

  private static func isWord(_ text: String, of isAllowed: (UInt8) -> Bool) -> Bool {
    !text.isEmpty && text.utf8.count <= maxLength && text.utf8.allSatisfy(isAllowed)
  }

  private static func isPrintable(_ byte: UInt8) -> Bool { (0x21...0x7e).contains(byte) }

  /// Amazon's own are at most 128 bytes long.
  private static let maxLength = 1024
}
