import Cryptography
import HTTPMessages
import Platform
import SelfieTestDocuments

/// The part of a body that the inspector shows around a mistake.
extension Exchange.Excerpt {
  /// Bytes before the mistake and after it. A phone shows about fifty letters in a line.
  private static let (maxBefore, maxAfter) = (32, 16)
  /// Bytes of a body. Clients send less than a thousand, and all of it is searched for secrets.
  static let maxBytes = 4096

  /// - Parameters:
  ///   - json: a body that could not be read.
  ///   - offset: where it could not be read.
  /// - Returns: nil for a body that is long or no object. Without names of members, nothing tells which texts are secret.
  init?(of json: [UInt8], at offset: Int, _ mask: SecretMask) {
    guard json.count <= Self.maxBytes, (0...json.count).contains(offset),
      json.first(where: { !$0.isASCIISpace }) == UInt8(ascii: "{")
    else { return nil }
    var secrets = mask.secretRanges(inBroken: json)
    // The mistake itself is shown if it is no letter, so that a line break in a password can be seen.
    if offset < json.count, !Base64.isCharacter(json[offset]) {
      secrets = secrets.flatMap { range in
        range.contains(offset) ? [range.lowerBound..<offset, offset + 1..<range.upperBound] : [range]
      }
    }
    // No letter is cut in two.
    let isRestOfLetter: (Int) -> Bool = { json[$0] & 0xc0 == 0x80 }
    let start = (max(0, offset - Self.maxBefore)..<offset).first { !isRestOfLetter($0) } ?? offset
    let end = (min(json.count, offset + Self.maxAfter)..<json.count).first { !isRestOfLetter($0) } ?? json.count
    self.init(
      before: (start > 0 ? "…" : "") + Self.shown(json, start..<offset, secrets),
      after: Self.shown(json, offset..<end, secrets) + (end < json.count ? "…" : ""))
  }

  /// The text of a range of bytes, with each secret in it replaced.
  private static func shown(_ bytes: [UInt8], _ range: Range<Int>, _ secrets: [Range<Int>]) -> String {
    var text = ""
    var index = range.lowerBound
    for secret in secrets.map({ $0.clamped(to: range) }) where !secret.isEmpty && secret.upperBound > index {
      text += printable(bytes[index..<max(index, secret.lowerBound)]) + SecretMask.masked
      index = secret.upperBound
    }
    return text + printable(bytes[index..<range.upperBound])
  }

  private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
    String(String.UnicodeScalarView(String(decoding: bytes, as: UTF8.self).unicodeScalars.map(sign)))
  }

  /// A sign of a control character, such as ␊ for a line feed; other characters that cannot be seen, or turn the
  /// direction of a text, become �.
  private static func sign(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    let placeholder: Unicode.Scalar = "\u{fffd}"
    switch scalar.value {
    case ..<0x20: return Unicode.Scalar(0x2400 + scalar.value) ?? placeholder
    case 0x7f: return "\u{2421}"
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return placeholder
    default: return scalar
    }
  }
}
