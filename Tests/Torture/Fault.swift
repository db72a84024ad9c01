import Foundation
import Glibc
import SQLite
import TestSupport

/// Something that goes wrong with the disk while the server runs.
package struct Fault: Sendable, CustomStringConvertible {
  enum Kind {
    /// System calls that fail: lines of the plan that the library Faults reads.
    case calls(String)
    /// The folder is moved away, and its files come back afterwards.
    case missing(folder: String)
    /// A file takes all the room that the file system has.
    case filled
  }

  package let description: String
  let kind: Kind
  /// The status that a client may be told meanwhile; nil for nothing but success.
  private let answer: Int?

  private static let (full, failing) = (507, 500)

  private init(_ description: String, _ answer: Int?, _ kind: Kind) {
    self.description = description
    self.kind = kind
    self.answer = answer
  }

  private init(_ description: String, _ answer: Int?, _ call: String, _ number: Int32, _ pattern: String) {
    self.init(description, answer, .calls("\(call) \(number) -1 \(pattern)\n"))
  }

  /// Whether photos cannot be downloaded meanwhile.
  var hidesPhotos: Bool { if case .missing("photos") = kind { true } else { false } }

  /// Whether GET /readyz must tell of it: what it tries is an upload and a transaction.
  var isSeenByReadiness: Bool {
    switch kind {
    case .calls: answer != nil && !description.contains("a folder of photos")
    // Folders are made again.
    case .missing: false
    case .filled: true
    }
  }

  /// Whether the server may be killed meanwhile. A file of `photos/` whose row was not committed yet is found by its
  /// name in `incoming/`: without that it stays, until the doctor moves it out of the way.
  var survivesKill: Bool { if case .missing("incoming") = kind { false } else { true } }

  /// Whether this is a response to give meanwhile: of the right status, with a message for the owner of the server.
  func excuses(_ refusal: RawResponse) -> Bool {
    guard let message = refusal.object?["message"] as? String, refusal.status == answer else { return false }
    return message.contains(answer == Self.full ? "disk is full" : "storage")
  }

  /// A bad sector under a photo.
  static func unreadable(_ id: String) -> Fault {
    Fault("a photo cannot be read", nil, "read", EIO, "*/\(id)")
  }

  /// Of a file system that is small enough for it.
  package static let fullDisk = Fault("a full disk", full, .filled)

  private static let uploads = "*/incoming/*"
  private static let log = "*.sqlite3-wal"

  /// The ways in which writing a file goes wrong.
  private static func faults(of file: String, _ pattern: String) -> [Fault] {
    [
      Fault("no space for \(file)", full, "write", ENOSPC, pattern),
      Fault("\(file) is beyond the quota", full, "write", EDQUOT, pattern),
      Fault("\(file) is beyond the greatest file", full, "write", EFBIG, pattern),
      Fault("\(file) is written in pieces", nil, "write", 0, pattern),
      Fault("writing \(file) fails", failing, "write", EIO, pattern),
      Fault("syncing \(file) fails", failing, "sync", EIO, pattern),
      Fault("syncing \(file) finds no space", full, "sync", ENOSPC, pattern),
    ]
  }

  package static let all: [Fault] = faults(of: "an upload", uploads) + faults(of: "the log", log) + others

  private static let others = [
    Fault("syncing a folder of photos fails", failing, "sync", EIO, "*/photos/??"),
    Fault("beginning an upload fails", failing, "open", EIO, uploads),
    Fault("no space for an upload's name", full, "open", ENOSPC, uploads),
    Fault("a read-only folder for uploads", failing, "open", EROFS, uploads),
    Fault("a photo cannot be put into its place", failing, "link", EIO, "*/photos/*"),
    Fault("no space for a photo's name", full, "link", ENOSPC, "*/photos/*"),
    Fault("read-only photos", failing, .calls("link \(EROFS) -1 */photos/*\nunlink \(EROFS) -1 */photos/*\n")),
    Fault("files cannot be removed", nil, "unlink", EIO, "*/storage/*"),
    Fault("the log is read-only", failing, "write", EROFS, log),
    Fault("writing the database fails", nil, "write", EIO, "*.sqlite3"),
    Fault("syncing the database fails", nil, "sync", EIO, "*.sqlite3"),
    Fault("no space for anything", full, .calls("write \(ENOSPC) -1 */storage/*\nopen \(ENOSPC) -1 */incoming/*\n")),
    Fault("every write fails", failing, .calls("write \(EIO) -1 */storage/*\nsync \(EIO) -1 */storage/*\n")),
    Fault(
      "a read-only storage", failing,
      .calls(["open", "write", "link", "unlink", "mkdir"].map { "\($0) \(EROFS) -1 */storage/*\n" }.joined())),
    Fault("incoming/ is removed", failing, .missing(folder: "incoming")),
    Fault("photos/ is removed", failing, .missing(folder: "photos")),
  ]

  /// Begins it, at a server.
  func begin(_ place: Subject) throws {
    switch kind {
    case .calls(let plan):
      // As a whole or not at all: the server may look at any moment.
      try Data(plan.utf8).write(to: URL(fileURLWithPath: "\(place.plan).new"))
      guard rename("\(place.plan).new", place.plan) == 0 else { throw Violation("rename: \(errno)") }
    case .missing(let folder):
      guard rename("\(place.storage)/\(folder)", "\(place.folder)/away") == 0 else {
        throw Violation("rename: \(errno)")
      }
    case .filled: try SmallDisk.fill(place.filler)
    }
  }

  /// Ends it.
  func end(_ place: Subject) throws {
    switch kind {
    case .calls: unlink(place.plan)
    case .filled: unlink(place.filler)
    case .missing("photos"): try Self.bringBack(place)
    // Nothing that was acknowledged is in it.
    case .missing: try FileManager.default.removeItem(atPath: "\(place.folder)/away")
    }
  }

  /// The photos come back next to those that the server has stored meanwhile, as from a backup. A file without a row is
  /// of an upload that has lost its place on its way, and was refused.
  private static func bringBack(_ place: Subject) throws {
    let files = FileManager.default
    let uploads = try files.contentsOfDirectory(atPath: "\(place.storage)/incoming")
    let connection = try Connection(path: "\(place.storage)/selfie.sqlite3", mode: .readOnly)
    defer { connection.close() }
    let photos = try connection.query("SELECT random_id FROM photos") { $0.text(0) ?? "" }
    let wanted = Set(uploads + photos)
    let (away, back) = ("\(place.folder)/away", "\(place.storage)/photos")
    for folder in try files.contentsOfDirectory(atPath: away) {
      try files.createDirectory(
        atPath: "\(back)/\(folder)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      for name in try files.contentsOfDirectory(atPath: "\(away)/\(folder)") where wanted.contains(name) {
        guard rename("\(away)/\(folder)/\(name)", "\(back)/\(folder)/\(name)") == 0 else {
          throw Violation("rename: \(errno)")
        }
      }
    }
    try files.removeItem(atPath: away)
  }
}
