import Platform

// The names that tests give to worlds and snapshots.
extension String {
  /// The end of a sentence about a name.
  static let resourceNameRule = "1 to 64 letters, digits, dots, hyphens and underscores, but not . or .."

  /// Whether a text is a name. `.` and `..` are not, since clients remove them from paths together with the segment before
  /// (RFC 3986 §5.2.4).
  var isResourceName: Bool {
    (1...64).contains(utf8.count) && self != "." && self != ".."
      && utf8.allSatisfy { $0.isASCIIAlphanumeric || ".-_".utf8.contains($0) }
  }
}
