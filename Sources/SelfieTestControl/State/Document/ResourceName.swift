import Platform

/// The names that tests give to worlds and snapshots.
package enum ResourceName {
  /// Whether a text is a name: 1 to 64 letters, digits, dots, hyphens and underscores. `.` and `..` are not names, since
  /// clients remove them from paths together with the segment before (RFC 3986 §5.2.4).
  package static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count) && text != "." && text != ".."
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || ".-_".utf8.contains($0) }
  }
}
