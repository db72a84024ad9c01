import Glibc
import Testing

@testable import HTTPServer

@Suite struct InputBufferMemoryTests {
  @Test func `a buffer takes memory for what has come, not for its whole size`() throws {
    let buffer = InputBuffer()
    var resident: Int?
    _ = buffer.receive { free in
      free[0] = 1
      resident = Self.residentPages(of: free)
      return .moved(1)
    }
    #expect(try #require(resident) <= 2)
  }

  /// Whole pages of `bytes` that the kernel has given memory to (mincore(2)).
  private static func residentPages(of bytes: UnsafeMutableRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let start = base.alignedUp(toMultipleOf: page)
    let length = (bytes.count - base.distance(to: start)) / page * page
    var pages = [UInt8](repeating: 0, count: length / page)
    guard mincore(start, length, &pages) == 0 else { return nil }
    return pages.count { $0 & 1 != 0 }
  }
}
