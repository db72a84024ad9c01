import Foundation
import Glibc
import SQLite
import TestSupport

/// What happens to automatic backups: a server, a removal and a restore are killed, the disk of the storage is not mounted, and
/// a copy of the storage runs beside it. Each day begins with the backups of the day before.
extension Torture {
  private static let kills = 5

  private var backups: String { "\(subject.folder)/backups" }
  private var backupSettings: [String: String] {
    ["BACKUP_DIR": backups, "BACKUP_EVERY": "1s", "BACKUP_KEEP": "1", "PORT": "0"]
  }

  func losePlaces() throws {
    try makeFolder(backups)
    for _ in 0..<Self.kills { try killServer() }
    try killRestores()
    try startWithoutDisk()
    try startCopy()
  }

  private func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  private func names() throws -> Set<String> {
    Set(
      try FileManager.default.contentsOfDirectory(atPath: backups).flatMap { storage in
        try FileManager.default.contentsOfDirectory(atPath: "\(backups)/\(storage)").filter { $0.hasPrefix("2") }
          .map { "\(storage)/\($0)" }
      })
  }

  private func verify() throws {
    guard try !names().isEmpty else { return }
    let (status, text) = try subject.run(["backup", "--verify", backups])
    guard status == 0 else { throw Violation("the backups are not intact: \(text) \(subject.endOfLog)") }
  }

  /// Waits for a backup that was not there before.
  private func awaitBackup(after before: Set<String>) throws {
    // Its thread lets everything else go first, so that on a busy machine this takes long.
    for _ in 0..<6000 where try names().isSubset(of: before) { usleep(50_000) }
    guard try !names().isSubset(of: before) else {
      throw Violation("the server makes no backup: \(subject.endOfLog)")
    }
  }

  /// A server that makes a backup each second and removes the one before.
  private func killServer() throws {
    try crashOnce(backupSettings, after: 5...2500)
    report.backupKills += 1
    try verify()
  }

  /// Restores into a folder until one is left alone.
  private func killRestores() throws {
    let (status, text) = try subject.run(["backup"], backupSettings)
    guard status == 0 else { throw Violation("backup ended with \(status): \(text) \(subject.endOfLog)") }
    let folder = "\(subject.folder)/restored"
    let settings = ["STORAGE_DIR": folder]
    for _ in 0..<Self.kills {
      let restore = try subject.begin(["restore", backups], settings)
      usleep(UInt32(chance.number(0...400)) * 1000)
      restore.signal(SIGKILL)
      report.backupKills += restore.end() == -SIGKILL ? 1 : 0
    }
    // The last one may have been whole already.
    let (again, words) = try subject.run(["restore", backups], settings)
    guard again == 0 || FileManager.default.fileExists(atPath: "\(folder)/selfie.sqlite3") else {
      throw Violation("restore ended with \(again): \(words) \(subject.endOfLog)")
    }
    var look = StorageLook(storage: folder)
    try look.check(isSettled: false, all: true)
    guard try photos(folder) == photos(subject.storage) else { throw Violation("not all photos are restored") }
    try FileManager.default.removeItem(atPath: folder)
  }

  /// A server that finds an empty folder where its disk should be mounted leaves the good backups alone.
  private func startWithoutDisk() throws {
    let empty = "\(subject.folder)/empty"
    try makeFolder(empty)
    let before = try names()
    let right = try subject.launch(backupSettings)
    try awaitBackup(after: before)
    try right.stop()
    let good = try names()
    let wrong = try subject.launch(backupSettings.merging(["STORAGE_DIR": empty]) { $1 })
    guard wrong.line() != nil else { throw Violation("the server does not start on an empty folder") }
    sleep(3)
    try wrong.stop()
    guard try names() == good else { throw Violation("of \(good) \(try names()) are left") }
    try verify()
    try FileManager.default.removeItem(atPath: empty)
  }

  /// A copy of the storage, as `cp -r` makes it, and then the original beside it make backups. Neither removes any, until the
  /// copy is gone and its backups are deleted.
  private func startCopy() throws {
    let copy = "\(subject.folder)/copy"
    try FileManager.default.copyItem(atPath: subject.storage, toPath: copy)
    chmod(copy, 0o700)
    var (servers, before): ([Child], Set<String>) = ([], try names())
    for storage in [copy, subject.storage] {
      let server = try subject.launch(backupSettings.merging(["STORAGE_DIR": storage]) { $1 })
      guard server.line() != nil else { throw Violation("a copy does not start: \(subject.endOfLog)") }
      servers.append(server)
      for _ in 0..<2 { try awaitBackup(after: names()) }
      guard try before.isSubset(of: names()) else { throw Violation("of \(before) only \(try names()) are left") }
      before = try names()
    }
    for server in servers { try server.stop() }
    guard try before.isSubset(of: names()) else { throw Violation("of \(before) only \(try names()) are left") }
    try verify()
    try FileManager.default.removeItem(atPath: copy)
    // The original goes on alone, in a line of its own.
    for arguments in [["backup", "--new-line"], ["backup"]] {
      let (status, text) = try subject.run(arguments, backupSettings)
      guard status == 0 else { throw Violation("\(arguments) ended with \(status): \(text) \(subject.endOfLog)") }
    }
    for name in before.union(try names()).subtracting(try ownNames()) {
      let (status, text) = try subject.run(
        ["backup", "--delete", String(name.split(separator: "/").last ?? ""), "--yes"], backupSettings)
      guard status == 0 else { throw Violation("--delete \(name) ended with \(status): \(text)") }
    }
    try verify()
  }

  /// The backups of the line that the storage has now.
  private func ownNames() throws -> Set<String> {
    let connection = try Connection(path: "\(subject.storage)/selfie.sqlite3", mode: .readOnly)
    defer { connection.close() }
    let line = try connection.query("SELECT line FROM backup_state") { $0.text(0) ?? "" }.first ?? ""
    return try names().filter { $0.hasSuffix("-\(line.prefix(8))") }
  }
}
