import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct BackupFolderTests {
  @Test func `a name has the second of its time, and gives it back`() {
    let name = BackupFolder.name(at: SettableClock.start)
    #expect(name == "selfie-2026-11-20T22-24-16Z.tar")
    #expect(BackupFolder.time(of: name) == SettableClock.start / 1000 * 1000)
    #expect(BackupFolder.time(of: "selfie-1970-01-01T00-00-00Z.tar") == 0)
  }

  @Test(arguments: [
    "", "selfie.tar", "selfie-Z.tar", "selfie-2026-11-20T22-24-16Z.tar.partial", "my-2026-11-20T22-24-16Z.tar",
    "selfie-2026-13-20T22-24-16Z.tar", "selfie-2026-02-30T22-24-16Z.tar", "selfie-2026-11-20T24-24-16Z.tar",
    "selfie-2026-11-20T22-24-+1Z.tar", "selfie-99999999999999999-1-1T1-1-1Z.tar", "selfie-2026-0-20T22-24-16Z.tar",
    "selfie-2026-11-20T22-24-16-00Z.tar", "selfie-2026-11-20T22-24-16X.tar",
  ])
  func `no other name is that of a backup`(_ name: String) {
    #expect(BackupFolder.time(of: name) == nil)
  }
}
