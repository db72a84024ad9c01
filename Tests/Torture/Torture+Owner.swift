import Foundation
import Glibc
import SQLite
import TestSupport

/// What owners of a server meet: a photo that cannot be read, a disk that may only be read, and a second server.
/// Torture+Backups.swift has what happens to automatic backups.
extension Torture {
  func spendBadDays() throws {
    for _ in 0..<settings.badDays {
      let (server, port, _) = try subject.start()
      try crowd.verify(port, wasRestarted: true)
      let stage = Stage()
      try crowd.inParallel({ $0.visit(port: port, stage) }) {
        defer { stage.end() }
        pause(milliseconds: 50...300)
        try startSecondServer()
      }
      try crowd.verify(port, wasRestarted: false)
      if settings.faultsLibrary != nil { try backUpAround(try anyPhoto()) }
      try server.stop()
      try backUpReadOnly()
      try losePlaces()
      try loseFiles()
      try outliveTokens()
      report.badDays += 1
    }
  }

  /// One that reaches the storage by another mount, where no lock of the first is seen.
  private func startSecondServer() throws {
    guard BindMount.isPossible else { return }
    let mount = try BindMount(of: subject.folder)
    let (status, _) = try subject.run(["serve"], ["STORAGE_DIR": "\(mount.path)/storage", "PORT": "0"])
    guard status == 1 else { throw Violation("a second server by another mount ended with \(status)") }
    report.secondServers += 1
  }

  private func anyPhoto() throws -> String? {
    let connection = try Connection(path: "\(subject.storage)/selfie.sqlite3", mode: .readOnly)
    defer { connection.close() }
    return try connection.query("SELECT random_id FROM photos") { $0.text(0) ?? "" }.randomElement(using: &chance)
  }

  /// A photo that cannot be read is not in a backup, and all others are.
  private func backUpAround(_ bad: String?) throws {
    guard let bad else { return }
    let fault = Fault.unreadable(bad)
    try fault.begin(subject)
    let (status, _) = try subject.run(["backup", archive], failing: true)
    try fault.end(subject)
    guard status == 1 else { throw Violation("a backup without a photo ended with \(status)") }
    try restore(lacking: 1)
  }

  private func backUpReadOnly() throws {
    let folder = "\(subject.folder)/read-only"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    guard mount(subject.storage, folder, nil, UInt(MS_BIND), nil) == 0 else { return }
    defer { umount2(folder, Int32(MNT_DETACH)) }
    guard mount(nil, folder, nil, UInt(MS_REMOUNT | MS_BIND | MS_RDONLY), nil) == 0 else {
      throw Violation("mount: \(errno)")
    }
    for arguments in [["backup", archive], ["doctor", "--quick"], ["user", "list"]] {
      let (status, text) = try subject.run(arguments, ["STORAGE_DIR": folder])
      // How full this machine is does not matter to doctor.
      guard status == 0 || arguments[0] == "doctor" && status == 1 else {
        throw Violation("\(arguments) on a read-only storage ended with \(status): \(text)")
      }
    }
    try restore(lacking: 0)
    report.readOnlyBackups += 1
  }

  /// Restores the archive, and compares it with the storage, which nobody changes meanwhile.
  private func restore(lacking count: Int) throws {
    let folder = "\(subject.folder)/restored"
    try? FileManager.default.removeItem(atPath: folder)
    let (status, text) = try subject.run(["restore", "--skip-damaged", archive], ["STORAGE_DIR": folder])
    guard status == (count == 0 ? 0 : 1) else { throw Violation("restore ended with \(status): \(text)") }
    var look = StorageLook(storage: folder)
    try look.check(isSettled: false, all: true)
    let photos = try [subject.storage, folder].map { folder in
      let connection = try Connection(path: "\(folder)/selfie.sqlite3", mode: .readOnly)
      defer { connection.close() }
      return try connection.query("SELECT count(*) FROM photos") { Int($0.integer(0)) }.first ?? 0
    }
    guard photos[1] == photos[0] - count else { throw Violation("\(photos[1]) of \(photos[0]) photos are restored") }
    try FileManager.default.removeItem(atPath: folder)
    // A backup never replaces a file.
    try FileManager.default.removeItem(atPath: archive)
  }

  private var archive: String { "\(subject.folder)/selfie.tar" }
}
