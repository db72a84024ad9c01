import Platform

/// How far a long operation has come, such as "Backing up: 1,204 of 5,000 photos, 1.2 GB". `ProgressLine` in
/// SelfieServer shows it.
package struct Progress: Sendable {
  /// Such as "Backing up".
  package let activity: String
  private let counts: @Sendable () -> String

  package var text: String { "\(activity): \(counts())" }

  /// - Parameters:
  ///   - total: nil if it is not known.
  ///   - noun: in the singular.
  package init(_ activity: String, _ done: Int, of total: Int? = nil, _ noun: String, bytes: Int64? = nil) {
    self.activity = activity
    counts = {
      let numbers = [done, total].compactMap(\.self).map(HumanValue.number).joined(separator: " of ")
      return "\(numbers) \(inflected(noun, total ?? done))" + (bytes.map { ", \(HumanValue.bytes($0))" } ?? "")
    }
  }

  package init(_ activity: String, bytes: Int64, of total: Int64? = nil) {
    self.activity = activity
    counts = { [bytes, total].compactMap(\.self).map(HumanValue.bytes).joined(separator: " of ") }
  }
}
