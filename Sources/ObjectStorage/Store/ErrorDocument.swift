import Platform

/// The XML with which S3 describes an error: `<Error><Code>NoSuchKey</Code>…`.
enum ErrorDocument {
  private static let maxCodeBytes = 64

  /// The code; nil if there is none, such as in a response to HEAD or in one of a proxy. A code is a word, so nothing
  /// else of XML needs to be understood.
  static func code(in body: [UInt8]) -> String? {
    guard let start = body.firstRange(of: "<Code>".utf8)?.upperBound else { return nil }
    let rest = body[start...]
    let code = rest.prefix(maxCodeBytes).prefix { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") }
    guard !code.isEmpty, rest.dropFirst(code.count).starts(with: "</Code>".utf8) else { return nil }
    return String(decoding: code, as: UTF8.self)
  }
}
