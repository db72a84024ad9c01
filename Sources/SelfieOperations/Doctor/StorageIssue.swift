import HTTPMessages

/// Something in the storage that is not in order. The checks find issues and word them; `Findings`
/// counts and reports them.
package struct StorageIssue: Sendable, Equatable {
  /// The kind of issue, by a name that scripts may rely on.
  package enum Kind: String, Sendable, CaseIterable {
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

  /// `{"kind":…,"subject":…,"message":…,"repaired":…}`, for scripts.
  package var json: [UInt8] {
    JSONWriter.object { json in
      json.member("kind", kind.rawValue)
      json.member("subject", subject)
      json.member("message", message)
      json.member("repaired", isRepaired)
    }
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
