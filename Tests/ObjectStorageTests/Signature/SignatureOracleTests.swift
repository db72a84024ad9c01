import Cryptography
import Foundation
import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite struct `Signatures and botocore's` {
  @Test(.enabled(if: PythonInterpreter.ofPyPI.isComplete, "\(PythonInterpreter.ofPyPI.reason)"))
  func `are the same for 2,000 random requests`() throws {
    var generator = SplitMix64(seed: 20_261_122)
    let cases = (0..<2000).map { _ in SignatureCase(using: &generator) }
    let encoder = JSONEncoder()
    let input = try cases.map { String(decoding: try encoder.encode($0), as: UTF8.self) }.joined(separator: "\n")
    let expected = try PythonInterpreter.ofPyPI.run("sign.py", input: input)
    #expect(expected.count == cases.count)
    let different = zip(cases, expected).filter { $0.signature != $1 }
    #expect(different.isEmpty, "\(different.count), such as \(different.prefix(3).map { ($0, $0.signature, $1) })")
  }
}

/// A random request, and how it is signed.
private struct SignatureCase: Encodable {
  struct Field: Encodable {
    let name: String
    let value: String
  }

  let accessKeyID: String
  let secretAccessKey: String
  let region: String
  let seconds: Int64
  let method: String
  let host: String
  /// In hexadecimal digits, as is the payload.
  let path: String
  let query: [Field]
  let headers: [Field]
  let payload: String?
  /// Nil for a signature in the header.
  let validFor: Int?

  init(using generator: inout SplitMix64) {
    accessKeyID = Self.text(Self.letters, 1...20, &generator)
    secretAccessKey = Self.text(Self.printable, 1...40, &generator)
    region = Self.text(Self.letters, 1...12, &generator)
    // Up to the year 2100.
    seconds = Int64(generator.number(0...4_102_444_799))
    // botocore signs a host in lower case.
    let ending = generator.happens(percent: 30) ? ":8333" : ".example.com"
    host = Self.text(Self.letters, 1...12, &generator).lowercased() + ending
    path = Digest.hex(Array("/".utf8) + generator.bytes(from: Array(0...255), maxCount: 40))
    let isPresigned = generator.happens(percent: 20)
    method = isPresigned ? "GET" : ["GET", "PUT", "HEAD", "DELETE", "POST"].randomElement(using: &generator) ?? "GET"
    query = Self.query(&generator, isRepeating: !isPresigned)
    headers = isPresigned ? [] : Self.headers(&generator)
    payload =
      isPresigned || generator.happens(percent: 30)
      ? nil : Digest.hex(generator.bytes(from: Array(0...255), maxCount: 100))
    validFor = isPresigned ? generator.number(1...604_800) : nil
  }

  var signature: String {
    let signer = SignatureV4(accessKeyID: accessKeyID, secretAccessKey: secretAccessKey, region: region)
    let path = URIEncoding.encodePath(Hex.decode(path.utf8) ?? [])
    let query = query.map { (name: $0.name, value: $0.value) }
    if let validFor {
      return signer.presignedQuery(host: host, path: path, query: query, at: seconds, validFor: validFor)
        .split(separator: "&").sorted().joined(separator: "&")
    }
    let fields = signer.headers(
      method: method, host: host, path: path, query: query, headers: headers.map { (name: $0.name, value: $0.value) },
      digest: payload.map { Digest.sha256(Hex.decode($0.utf8) ?? []) }, at: seconds)
    return fields.first { $0.name == "authorization" }?.value ?? ""
  }

  private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
  private static let printable = Array(UInt8(ascii: "!")...UInt8(ascii: "~"))
  private static let spaced = printable + Array(repeating: UInt8(ascii: " "), count: 30) + [UInt8(ascii: "\t")]
  private static let scalars = (0...0x2ff).compactMap(Unicode.Scalar.init) + ["€", "\u{1f4f7}", "\u{fffd}"]

  private static func text(_ alphabet: [UInt8], _ count: ClosedRange<Int>, _ generator: inout SplitMix64) -> String {
    let bytes = (0..<generator.number(count)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func query(_ generator: inout SplitMix64, isRepeating: Bool) -> [Field] {
    let names = ["a", "a+b", "a b", "A", "ä", "~", "uploads", "response-content-type", "é", "a/b", "a=b&c"]
    return (0..<generator.number(0...5)).map { number in
      // botocore takes only the first of several presigned parameters with the same name.
      let name = (names.randomElement(using: &generator) ?? "") + (isRepeating ? "" : "\(number)")
      var value = String.UnicodeScalarView()
      for _ in 0..<generator.number(0...10) { value.append(scalars.randomElement(using: &generator) ?? "x") }
      return Field(name: name, value: String(value))
    }
  }

  private static func headers(_ generator: inout SplitMix64) -> [Field] {
    let names = ["Content-Type", "content-length", "Range", "x-amz-meta-Name", "X-Amz-Acl", "Cache-Control", "accept"]
    return (0..<generator.number(0...5)).map { _ in
      Field(name: names.randomElement(using: &generator) ?? "", value: text(spaced, 0...30, &generator))
    }
  }
}
