import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@testable import SelfieOperations

/// Who may make a backup, and when.
@Suite struct BackupFolderTests {
  /// A process that another thread starts has a copy of each descriptor until it runs its program.
  @Test func `the lock ends with the work, whoever has a copy of its descriptor`() throws {
    let folder = try TemporaryFolder()
    let backups = BackupFolder(path: folder.path)
    let copy = try backups.whileLocked { _ in
      #expect(throws: BackupInProgress.self) { try backups.whileLocked { _ in } }
      return try #require(
        descriptor(of: "\(folder.path)/\(BackupFolder.lockName)").map { fcntl($0, F_DUPFD_CLOEXEC, 0) })
    }
    #expect(copy >= 0)
    defer { close(copy) }
    try backups.whileLocked { #expect($0.isReliable) }
  }

  private func descriptor(of path: String) throws -> Int32? {
    let own = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: own).first {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(own)/\($0)")) == path
    }.flatMap(Int32.init)
  }
}
