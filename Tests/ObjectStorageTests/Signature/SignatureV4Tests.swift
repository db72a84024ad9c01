import Cryptography
import Testing

@testable import ObjectStorage

/// The examples of Amazon's documentation: "Signature Calculations for the Authorization Header" and "Authenticating
/// Requests: Using Query Parameters".
@Suite struct `The examples of Amazon's documentation` {
  @Test func `a GET of a range`() {
    let signature = signature(
      method: "GET", path: "/test.txt", headers: [("Range", "bytes=0-9")], body: ""
    )
    #expect(
      signature == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test func `a PUT`() {
    let signature = signature(
      method: "PUT", path: "/test$file.text".uriEncoded(keepsSlashes: true),
      headers: [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
      body: "Welcome to Amazon S3.")
    #expect(
      signature == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  }

  @Test func `a presigned GET`() {
    let query = Self.signer.presignedQuery(host: Self.host, path: "/test.txt", at: Self.time, validFor: 86_400)
    #expect(
      query == "X-Amz-Algorithm=AWS4-HMAC-SHA256"
        + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
  }

  private static let signer = SignatureV4(
    accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1")
  private static let host = "examplebucket.s3.amazonaws.com"
  private static let time: Int64 = 1_369_353_600

  private func signature(
    method: String, path: String, headers: [(name: String, value: String)], body: String
  ) -> Substring? {
    let fields = Self.signer.headers(
      method: method, host: Self.host, path: path, headers: headers,
      digest: Digest.sha256(Array(body.utf8)), at: Self.time)
    return fields.last?.value.split(separator: "Signature=").last
  }
}
