import HTTPMessages
import SelfieAPI

/// Something in the storage that is not as it should be.
public struct StorageIssue: Sendable, Equatable {
  /// What it is, by a name that scripts may rely on.
  public enum Kind: String, Sendable, CaseIterable {
    /// The database file is damaged.
    case databaseDamage = "database_damage"
    /// A row belongs to a row that is not there.
    case foreignKey = "foreign_key"
    /// The database has had other migrations than this program knows.
    case schema
    /// A row whose file is missing.
    case missingFile = "missing_file"
    case wrongSize = "wrong_size"
    case wrongDigest = "wrong_digest"
    /// A file among the photos that no row knows.
    case orphanFile = "orphan_file"
    /// What an upload left behind.
    case staleUpload = "stale_upload"
    /// The file of a deleted photo.
    case removalPending = "removal_pending"
    /// Others than the owner may read it.
    case permissions
    case freeSpace = "free_space"
  }

  public let kind: Kind
  /// What it is about: a path in the storage folder, mostly.
  public let subject: String
  /// What is wrong, and what would put it right or has done so.
  public let message: String
  /// Whether it was put right.
  public let isRepaired: Bool

  /// For people: a line, without a line feed.
  public var line: String { "\(isRepaired ? "repaired: " : "")\(subject): \(message)" }

  /// For scripts: `{"kind":…,"subject":…,"message":…,"repaired":…}`.
  public var json: [UInt8] {
    JSONWriter.object { json in
      json.member("kind", kind.rawValue)
      json.member("subject", subject)
      json.member("message", message)
      json.key("repaired")
      json.boolean(isRepaired)
    }
  }
}

/// How much was looked at, and what came of it.
public struct CheckCounts: Sendable, Equatable {
  public var photos = 0
  /// Photos whose file was read as a whole.
  public var digests = 0
  /// Photos whose digest was not noted yet, so that nothing says whether their bytes are right.
  public var photosWithoutDigest = 0
  public var uploadsUnderWay = 0
  public var findings = 0
  public var repaired = 0
  /// What could not be looked at.
  public var failures = 0

  public init() {}

  /// For scripts: an object.
  public var json: [UInt8] {
    JSONWriter.object { json in
      json.member("photos", Int64(photos))
      json.member("digests", Int64(digests))
      json.member("photos_without_digest", Int64(photosWithoutDigest))
      json.member("uploads_under_way", Int64(uploadsUnderWay))
      json.member("findings", Int64(findings))
      json.member("repaired", Int64(repaired))
      json.member("failures", Int64(failures))
    }
  }

  /// For scripts: a string.
  public static func json(text: String) -> [UInt8] {
    var json = JSONWriter()
    json.string(text)
    return json.bytes
  }
}
