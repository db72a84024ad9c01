import CLinux
import Glibc
import Platform

// Compares and searches bytes for the parsers of HTTP messages. Tests of single bytes that other targets need too are
// in ASCII.swift in Platform.
extension UInt8 {
  static let carriageReturn = UInt8(ascii: "\r")
  static let lineFeed = UInt8(ascii: "\n")
  static let quote = UInt8(ascii: "\"")
  static let backslash = UInt8(ascii: "\\")

  /// Whether `\s` matches it in Ruby 2.1: space, tab, CR, LF or form feed.
  var isSpace: Bool {
    self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D || self == 0x0C
  }

  /// OWS (RFC 9110 §5.6.3).
  var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes are those of `other`. To compare one byte after the other takes ten times as long.
  package func equals(_ other: [UInt8]) -> Bool {
    withUnsafeBytes { bytes in
      other.withUnsafeBytes { other in
        guard bytes.count == other.count else { return false }
        guard let start = bytes.baseAddress, let otherStart = other.baseAddress else { return true }
        // memcmp reads as many bytes as both have.
        return memcmp(start, otherStart, bytes.count) == 0
      }
    }
  }

  /// Whether the bytes are `lowercase`, in any case of ASCII letters. A text's own comparison normalises it first, which
  /// takes time quadratic in a run of combining marks.
  package func equalsIgnoringCase(_ lowercase: StaticString) -> Bool {
    guard count == lowercase.utf8CodeUnitCount else { return false }
    return lowercase.withUTF8Buffer { zip(self, $0).allSatisfy { $0.asciiLowercased == $1 } }
  }

  /// Whether the bytes end with `lowercase`, in any case of ASCII letters.
  package func hasSuffixIgnoringCase(_ lowercase: StaticString) -> Bool {
    suffix(lowercase.utf8CodeUnitCount).equalsIgnoringCase(lowercase)
  }

  /// The text of ASCII bytes; nil for others, which must not be compared as texts.
  package var asciiText: String? {
    allSatisfy { $0 < 0x80 } ? String(decoding: self, as: UTF8.self) : nil
  }

  /// Whether one of the first bytes begins a curly quotation mark, U+2018 to U+201F, as word processors write in place of
  /// a straight one.
  package var hasCurlyQuote: Bool {
    let shown = prefix(1024)
    return shown.indices.contains { index in
      shown[index] == 0xe2 && shown[index...].prefix(2).elementsEqual([0xe2, 0x80])
        && shown[index...].dropFirst(2).first.map { (0x98...0x9f).contains($0) } ?? false
    }
  }

  func hasSuffix(_ end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }

  /// Without the spaces and tabs around it.
  package var trimmed: ArraySlice<UInt8> {
    let start = drop(while: \.isBlank)
    return start[..<(start.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? start.startIndex)]
  }

  /// Whether it contains `needle`, which is in lower case, in any case of ASCII letters.
  package func containsIgnoringCase(_ needle: StaticString) -> Bool {
    let count = needle.utf8CodeUnitCount
    return indices.dropLast(Swift.max(0, count - 1)).contains { self[$0...].prefix(count).equalsIgnoringCase(needle) }
  }

  /// Where `needle` first occurs at or after `start`, which may be any number; nil if it does not occur.
  ///
  /// memmem searches a photo twice as fast as memchr, but first makes a table for the needle, which takes 0.3 µs. So it
  /// searches from the beginning only: further searches of the same bytes may have a hit every few bytes. For those,
  /// memchr finds the needle's last byte and memcmp compares the others.
  package func firstOccurrence(of needle: [UInt8], from start: Int) -> Int? {
    guard let lastByte = needle.last, count >= needle.count else { return nil }
    // The pointers stay within the closures. `candidate` runs from 0 to `lastCandidate`, so memchr and memcmp read
    // no further than `count`.
    let found = withUnsafeBytes { haystack in
      needle.withUnsafeBytes { needle -> Int? in
        guard let base = haystack.baseAddress, let wanted = needle.baseAddress else { return nil }
        if start <= startIndex {
          return clinux_memmem(base, haystack.count, wanted, needle.count).map { UnsafeRawPointer($0) - base }
        }
        let before = needle.count - 1
        let lastCandidate = haystack.count - needle.count
        var candidate = start - startIndex
        while candidate <= lastCandidate,
          let hit = memchr(base + candidate + before, Int32(lastByte), lastCandidate - candidate + 1)
        {
          candidate = UnsafeRawPointer(hit) - base - before
          if memcmp(base + candidate, wanted, before) == 0 { return candidate }
          candidate += 1
        }
        return nil
      }
    }
    return found.map { startIndex + $0 }
  }
}
