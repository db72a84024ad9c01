import Glibc

/// A copy of the database that may be brought up to date and read without a trace. It holds password hashes, so it is
/// for its owner only.
struct DatabaseCopy {
  /// Where the database is, or is to be.
  let path: String
  private let folder: String

  /// What there can be beside a database.
  private static let suffixes = ["", "-wal", "-shm"]

  /// - Parameter original: a database that nobody writes to; nil, or where there is none, leaves none here.
  init(of original: String?) throws(ConfigurationError) {
    var template = Array("/tmp/selfie-server-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ConfigurationError("No folder can be made in /tmp: \(TextFile.Failure()).")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = "\(folder)/selfie.sqlite3"
    guard let original else { return }
    do {
      // The index of the log (-shm) is made anew.
      for suffix in ["", "-wal"] { try Self.copy(original + suffix, to: path + suffix) }
    } catch {
      remove()
      throw ConfigurationError("The database cannot be copied to /tmp, for comparison: \(error).")
    }
  }

  func remove() {
    for suffix in Self.suffixes { unlink(path + suffix) }
    rmdir(folder)
  }

  /// Copies a file, if it is there.
  private static func copy(_ path: String, to newPath: String) throws(TextFile.Failure) {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    if source < 0 && errno == ENOENT { return }
    guard source >= 0 else { throw TextFile.Failure() }
    defer { close(source) }
    let target = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw TextFile.Failure() }
    defer { close(target) }
    while true {
      // The kernel copies, a stretch at a time; up to 2 GB at once.
      let count = sendfile(target, source, nil, 1 << 30)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw TextFile.Failure() }
      if count == 0 { return }
    }
  }
}
