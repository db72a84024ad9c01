package import HTTPMessages

/// The last of the backups that the server makes automatically. `ScheduledBackups` keeps it up to date.
package struct LastBackup: Sendable, Equatable {
  /// When the newest backup was made, in Unix milliseconds; nil: there is none.
  package var time: Int64?
  /// Its file.
  package var file: String?
  package var byteCount: Int64?
  /// Whether it was read again after it was written, and found whole. Before that it has no name.
  package var isVerified: Bool { time != nil }
  /// Why the last attempt has failed, or what the newest backup lacks; nil if all is well.
  package var error: String?
  /// When the last attempt has failed; nil if it has not.
  var failedAt: Int64?

  /// Writes the members that are public: the error may name paths.
  package func writePublicMembers(to json: inout JSONWriter) {
    json.member("time", time: time)
    json.member("bytes", byteCount)
    json.member("verified", isVerified)
    json.member("failed", error != nil)
  }
}
