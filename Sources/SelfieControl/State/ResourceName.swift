/// The names that tests give to worlds and snapshots.
package enum ResourceName {
  /// Whether a text is a name: 1 to 64 letters, digits, dots, hyphens and underscores. `.` and `..` are not names, since
  /// clients remove them from paths together with the segment before (RFC 3986 §5.2.4).
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
