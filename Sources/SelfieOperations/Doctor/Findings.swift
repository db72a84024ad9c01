import Platform
import SQLite

// The findings of doctor. `RowCheck` and `StorageCheck` find them, and `DoctorReport` prints them.

/// An event that a check reports.
package enum CheckEvent: Sendable {
  case issue(StorageIssue)
  /// Something that the owner may want to know, and that does not have to be repaired.
  case remark(String)
  /// Something could not be checked, for this reason.
  case failure(String)
  case progress(Progress)
}

/// Counts what a check finds, and reports each finding at once, so that their number needs no memory.
final class Findings: Sendable {
  private let state = Monitor(CheckCounts())
  private let report: @Sendable (CheckEvent) -> Void

  init(_ report: @escaping @Sendable (CheckEvent) -> Void) {
    self.report = report
  }

  var counts: CheckCounts { state.withLock { $0 } }

  func count(_ change: (inout CheckCounts) -> Void) { state.withLock { change(&$0) } }

  /// - Parameters:
  ///   - done: ends the message if it is repaired.
  ///   - remedy: ends it otherwise.
  func add(
    _ kind: StorageIssue.Kind, _ subject: String, _ message: String, isRepaired: Bool = false, _ done: String = "",
    orElse remedy: String = ""
  ) {
    count {
      $0.findings += 1
      if isRepaired { $0.repaired += 1 }
    }
    // A folder's name or the database's words may be anything.
    let text = (message + (isRepaired ? done : remedy)).printable
    report(.issue(StorageIssue(kind: kind, subject: subject.printable, message: text, isRepaired: isRepaired)))
  }

  func show(_ progress: Progress) { report(.progress(progress)) }

  func remark(_ text: String) { report(.remark(text.printable)) }

  /// Runs a check, and reports its error instead of throwing it, so that the other checks run too.
  func attempt(_ check: () async throws -> Void) async {
    do { try await check() } catch { fail(error) }
  }

  func fail(_ error: any Error) {
    count { $0.failures += 1 }
    let text = (error as? FileError)?.inWords ?? (error as? SQLiteError)?.inWords
    report(.failure((text ?? "\(error)").printable))
  }
}

/// Something in the storage that is not in order. The checks find issues and word them; `Findings`
/// counts and reports them.
package struct StorageIssue: Sendable, Equatable, Encodable {
  /// The kind of issue, by a name that scripts may rely on.
  package enum Kind: String, Sendable, Codable {
    /// The database file is damaged.
    case databaseDamage = "database_damage"
    /// A row that the server would not have stored.
    case invalidRow = "invalid_row"
    /// The recorded size of a note, or the recorded number or size of a user's photos, is wrong.
    case wrongByteCount = "wrong_byte_count"
    /// A session that no client can use.
    case unusableSession = "unusable_session"
    /// A row refers to a row that does not exist.
    case foreignKey = "foreign_key"
    /// The database does not have this program's schema.
    case schema
    /// A row whose file is missing.
    case missingFile = "missing_file"
    case wrongSize = "wrong_size"
    case wrongDigest = "wrong_digest"
    /// A symbolic link or a pipe, for example, where there must be a file or a folder.
    case wrongKind = "wrong_kind"
    /// A file among the photos that has no row.
    case orphanFile = "orphan_file"
    /// A file that an interrupted upload left behind.
    case staleUpload = "stale_upload"
    /// The file of a photo that was deleted.
    case removalPending = "removal_pending"
    /// Others than the owner may read the file.
    case permissions
    case freeSpace = "free_space"
    /// A setting of a shared database with which a crash loses what was acknowledged.
    case unsafeSetting = "unsafe_setting"
  }

  package let kind: Kind
  /// The place of the issue, usually a path in the storage folder.
  package let subject: String
  /// Describes the issue, and how to repair it or that it was repaired.
  package let message: String
  /// Whether it was repaired.
  package let isRepaired: Bool

  /// A line for people, without a line feed.
  package var line: String { "\(isRepaired ? "repaired: " : "")\(subject): \(message)" }

  /// Scripts rely on these names.
  private enum CodingKeys: String, CodingKey {
    case kind, subject, message, isRepaired = "repaired"
  }
}

/// How much was checked, and with what results.
package struct CheckCounts: Sendable, Encodable {
  package var photos = 0
  /// Photos whose whole file was read.
  package var digests = 0
  /// Photos that have no digest yet, so that their bytes cannot be checked.
  package var photosWithoutDigest = 0
  package var uploadsUnderWay = 0
  package var notes = 0
  /// Posts of the Microblog app.
  package var blogposts = 0
  package var findings = 0
  package var repaired = 0
  /// Checks that failed.
  package var failures = 0

  package init() {}

  /// Scripts rely on these names.
  private enum CodingKeys: String, CodingKey {
    case photos, digests, photosWithoutDigest = "photos_without_digest", uploadsUnderWay = "uploads_under_way", notes
    case blogposts, findings, repaired, failures
  }
}
