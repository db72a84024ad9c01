import Cryptography
import HTTPMessages
import Platform
import SelfieTestDocuments

/// The part of a body that the inspector shows around a mistake.
extension Exchange.Excerpt {
  /// Bytes before the mistake and after it. A phone shows about fifty letters in a line.
  private static let (maxBefore, maxAfter) = (32, 16)

  init(of body: BrokenBody, _ mask: SecretMask) {
    let (bytes, place) = (body.bytes, body.place)
    var secrets = mask.secretRanges(in: body)
    // The mistake itself is shown if it is no letter, so that a line break in a password can be seen.
    if place < bytes.count, !Base64.isCharacter(bytes[place]) {
      secrets = secrets.flatMap { range in
        range.contains(place) ? [range.lowerBound..<place, place + 1..<range.upperBound] : [range]
      }
    }
    // No letter is cut in two.
    let isRestOfLetter: (Int) -> Bool = { bytes[$0] & 0xc0 == 0x80 }
    let start = (max(0, place - Self.maxBefore)..<place).first { !isRestOfLetter($0) } ?? place
    let end = (min(bytes.count, place + Self.maxAfter)..<bytes.count).first { !isRestOfLetter($0) } ?? bytes.count
    self.init(
      before: (start > 0 || body.isContinued ? "…" : "") + Self.shown(bytes, start..<place, secrets),
      after: Self.shown(bytes, place..<end, secrets) + (end < bytes.count ? "…" : ""))
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
