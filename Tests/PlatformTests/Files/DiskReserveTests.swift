import Glibc
import Platform
import TestSupport
import Testing

@Suite struct DiskReserveTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = "\(folder.path)/reserve"
  }

  private func makeReserve() -> DiskReserve { DiskReserve(path: path, byteCount: 1 << 20) }

  private func allocatedBytes() -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
  }

  @Test func `it has blocks of the disk, for its owner only, and the next process finds it`() throws {
    let reserve = makeReserve()
    #expect(!reserve.isWhole)
    reserve.renew()
    #expect(reserve.isWhole)
    #expect(allocatedBytes() >= 1 << 20)
    #expect(try folder.permissions(of: "reserve") == 0o600)
    #expect(makeReserve().isWhole)
  }

  @Test func `a file with a hole is no reserve`() throws {
    try folder.write([1], to: "reserve")
    try #require(truncate(path, 1 << 20) == 0)
    let reserve = makeReserve()
    #expect(!reserve.isWhole)
    reserve.renew()
    #expect(allocatedBytes() >= 1 << 20)
  }

  @Test func `while it is spent its blocks are free, nobody takes them back, and others are refused`() throws {
    let reserve = makeReserve()
    reserve.renew()
    try reserve.check()
    let result = reserve.spend { () throws(Never) in
      #expect(allocatedBytes() == 0)
      reserve.renew()
      #expect(!reserve.isWhole)
      let error = #expect(throws: FileError.self) { try reserve.check() }
      #expect(error?.isDiskFull == true)
      return 7
    }
    #expect(result == 7)
    try reserve.check()
    #expect(reserve.isWhole)
    #expect(allocatedBytes() >= 1 << 20)
  }

  @Test func `others are not refused where there can be no reserve for another reason than a full disk`() throws {
    let reserve = DiskReserve(path: "\(folder.path)/missing/reserve", byteCount: 1)
    try reserve.check()
    #expect(!reserve.isWhole)
  }

  @Test func `others are refused where there is no room for it`() throws {
    let reserve = DiskReserve(path: path, byteCount: .max)
    let error = #expect(throws: FileError.self) { try reserve.check() }
    #expect(error?.isDiskFull == true)
    #expect(allocatedBytes() == 0)
  }
}
