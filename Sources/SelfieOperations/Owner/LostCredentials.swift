package import Platform
import SelfieAPI

/// Credentials of the API that the server has made because the file with those of the apps was missing. The owner is told of
/// it, also after a restart, until an app uses the new ones. A line of the file remembers it, so that the alarm also ends when
/// the old file is put back.
package final class LostCredentials: Sendable {
  private let file: String
  /// When the new ones were made, in Unix milliseconds; nil once an app has used them.
  private let since: Monitor<Int64?>

  /// Nil if the file is the one that apps have, or no app has used it yet.
  ///
  /// - Parameters:
  ///   - file: the path of credentials.env.
  ///   - lostAt: when a new one takes the place of a lost one that is about to be written, in Unix milliseconds.
  package init?(of file: String, lostAt: Int64?) {
    guard let since = lostAt ?? Self.noted(in: file) else { return nil }
    (self.file, self.since) = (file, Monitor(since))
  }

  /// What the owner should know.
  package struct Warning {
    package let text: String
    /// Unix milliseconds.
    let since: Int64
  }

  /// Nil once an app has used the new ones.
  ///
  /// - Parameter backup: the folder of a backup that has the old ones, if one is known.
  package func warning(backup: (_ madeBefore: Int64) -> String? = { _ in nil }) -> Warning? {
    guard let since = since.withLock({ $0 }) else { return nil }
    let place = backup(since).map { "\($0)/\(StorageLayout.credentials)" } ?? "a backup made before that"
    return Warning(
      text: """
        \(file) was missing at a start, so new credentials were generated, and apps with the old ones cannot sign in. The \
        old ones are in \(place): put that file back, and restart the server. Or give the apps the new ones: \
        selfie-server constants
        """, since: since)
  }

  /// To be called when an app has sent the new ones.
  ///
  /// - Throws: `FileError` if the file cannot be written; the next start says again what is over.
  package func end() throws(FileError) {
    guard since.withLock({ $0.take() }) != nil, let bytes = try Self.contents(of: file) else { return }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let rest = lines.filter { !$0.elementsEqual(CredentialsFile.lossMark.utf8) }
    try FileSystem.replace(file, with: Array(rest.joined(separator: [UInt8(ascii: "\n")])))
  }

  private static func noted(in file: String) -> Int64? {
    guard let bytes = (try? contents(of: file)) ?? nil, let status = (try? FileSystem.status(file)) ?? nil,
      bytes.split(separator: UInt8(ascii: "\n")).contains(where: { $0.elementsEqual(CredentialsFile.lossMark.utf8) })
    else { return nil }
    return status.modifiedAt * 1000
  }

  private static func contents(of file: String) throws(FileError) -> [UInt8]? {
    try FileSystem.contents(of: file, maxBytes: CredentialsFile.maxBytes)
  }
}
