import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct MomentTests {
  @Test func `a name has the second of its time and the line, and gives them back`() throws {
    let name = Moment.name(at: SettableClock.start, line: "3fa90c12aabbccdd")
    #expect(name == "2026-11-20T22-24-16Z-3fa90c12")
    let moment = try #require(Moment("/backups/9f86d081884c7d65/\(name)"))
    #expect(moment.time == SettableClock.start / 1000 * 1000 && moment.line == "3fa90c12" && moment.name == name)
    #expect(moment.folder.path == "/backups/9f86d081884c7d65")
  }

  @Test(arguments: [
    "", "photos", ".2026-11-20T22-24-16Z-3fa90c12", "2026-13-20T22-24-16Z-3fa90c12", "2026-02-30T22-24-16Z-3fa90c12",
    "2026-11-20T22-24-16Z", "2026-11-20T22-24-16Z-3fa9", "2026-11-20T22-24-16X-3fa90c12",
    "2026-11-20T22-24-16Z-3fa90c12.tar", "2026-0-20T22-24-16Z-3fa90c12",
  ])
  func `no other name is that of a backup`(_ name: String) {
    #expect(Moment("/backups/\(name)") == nil)
  }
}
