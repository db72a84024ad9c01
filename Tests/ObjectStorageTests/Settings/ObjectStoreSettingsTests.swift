import Platform
import Testing

@testable import ObjectStorage

@Suite struct `The settings of an object store` {
  private func settings(
    endpoint: String = "https://s3.example", bucket: String = "selfies", region: String = "eu-central-1",
    accessKeyID: String = "id", secretAccessKey: String = "secret/+", bucketIsInHost: Bool = false
  ) throws(ConfigurationError) -> ObjectStoreSettings {
    try ObjectStoreSettings(
      endpoint: endpoint, bucket: bucket, region: region, accessKeyID: accessKeyID, secretAccessKey: secretAccessKey,
      bucketIsInHost: bucketIsInHost)
  }

  @Test func `the bucket is in the path or in the host`() throws {
    let key = "ab/c d+é"
    #expect(try settings().url(of: key) == "https://s3.example/selfies/ab/c%20d%2B%C3%A9")
    #expect(try settings(bucketIsInHost: true).url(of: key) == "https://selfies.s3.example/ab/c%20d%2B%C3%A9")
  }

  @Test(arguments: [
    ("https://S3.example/", "https", "s3.example"), ("https://s3.example:443", "https", "s3.example"),
    ("http://127.0.0.1:9000", "http", "127.0.0.1:9000"), ("http://[::1]:80", "http", "[::1]"),
    ("https://s3.example:80", "https", "s3.example:80"),
  ])
  func `the host has the port unless it is the scheme's own`(endpoint: String, scheme: String, host: String) throws {
    let settings = try settings(endpoint: endpoint)
    #expect(settings.scheme == scheme && settings.host == host)
  }

  @Test(arguments: [
    "", "s3.example", "ftp://s3.example", "https://", "https://name:password@s3.example", "https://s3.example/path",
    "https://s3.example?query", "https://s3.example#fragment", "https://s3.example:0", "https://s3.example:65536",
    "https://s3.example:x", "https://s3 example", "https://s3.example\r\nHost: other", "https://-s3.example",
  ])
  func `an endpoint has a scheme and a host and nothing else`(endpoint: String) {
    #expect(wrong(endpoint: endpoint) == ["S3_ENDPOINT"])
  }

  @Test(arguments: ["", "ab", "Selfies", "-selfies", "selfies.", "sel..fies", "sel/fies", "sel fies", "sélfies"])
  func `a bucket has a name as Amazon allows it`(bucket: String) {
    #expect(wrong(bucket: bucket) == ["S3_BUCKET"])
  }

  @Test func `a bucket in the host needs a host with a name, and a certificate`() throws {
    #expect(wrong(endpoint: "http://127.0.0.1:9000", bucketIsInHost: true) == ["S3_ENDPOINT"])
    #expect(wrong(bucket: "sel.fies", bucketIsInHost: true) == ["S3_BUCKET"])
    #expect(try settings(bucket: "sel.fies").path(of: "key") == "/sel.fies/key")
  }

  @Test func `all problems are said at once, without the secret`() {
    let error = #expect(throws: ConfigurationError.self) {
      try settings(endpoint: "x", bucket: "x", region: "a/b", accessKeyID: "a,b", secretAccessKey: "top secret")
    }
    let names = ["S3_ENDPOINT", "S3_BUCKET", "S3_REGION", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"]
    #expect(error?.problems.map { String($0.prefix { $0 != " " }) } == names)
    #expect(error?.description.contains("top secret") == false)
  }

  @Test func `what prints the settings does not print the secret`() throws {
    let settings = try settings(secretAccessKey: "never-to-be-seen")
    var dumped = ""
    dump(settings, to: &dumped)
    #expect(!"\(settings)\(String(reflecting: settings))\(dumped)".contains("never-to-be-seen"))
  }

  /// The names of the settings that are said to be wrong.
  private func wrong(
    endpoint: String = "https://s3.example", bucket: String = "selfies", bucketIsInHost: Bool = false
  ) -> [String] {
    do throws(ConfigurationError) {
      _ = try settings(endpoint: endpoint, bucket: bucket, bucketIsInHost: bucketIsInHost)
      return []
    } catch {
      return error.problems.map { String($0.prefix { $0 != " " }) }
    }
  }
}
