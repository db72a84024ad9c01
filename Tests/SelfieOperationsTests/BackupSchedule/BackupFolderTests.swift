import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct BackupFolderTests {
  @Test(arguments: [nil, "9f86d081884c7d65"])
  func `a name has the second of its time and the storage, and gives them back`(_ storage: String?) throws {
    let name = BackupFolder.name(at: SettableClock.start, of: storage)
    #expect(name == "selfie-2026-11-20T22-24-16Z\(storage.map { "-\($0)" } ?? "").tar")
    let parts = try #require(BackupFolder.parts(of: name))
    #expect(parts.time == SettableClock.start / 1000 * 1000)
    #expect(parts.storage == storage)
    #expect(BackupFolder.parts(of: "selfie-1970-01-01T00-00-00Z.tar")?.time == 0)
  }

  @Test(arguments: [
    "", "selfie.tar", "selfie-Z.tar", "selfie-2026-11-20T22-24-16Z.tar.partial", "my-2026-11-20T22-24-16Z.tar",
    "selfie-2026-13-20T22-24-16Z.tar", "selfie-2026-02-30T22-24-16Z.tar", "selfie-2026-11-20T24-24-16Z.tar",
    "selfie-2026-11-20T22-24-+1Z.tar", "selfie-99999999999999999-1-1T1-1-1Z.tar", "selfie-2026-0-20T22-24-16Z.tar",
    "selfie-2026-11-20T22-24-16-00Z.tar", "selfie-2026-11-20T22-24-16X.tar", "selfie-2026-11-20T22-24-16Z9f86.tar",
    "selfie-2026-11-20T22-24-16Z-9f86",
    "selfie-2026-11-20T22-24-16Z", "selfie-2026-11-20T22-24-16Ztar",
  ])
  func `no other name is that of a backup`(_ name: String) {
    #expect(BackupFolder.parts(of: name) == nil)
  }
}
