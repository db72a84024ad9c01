import TestSupport
import Testing

@testable import SelfieOperations

/// Headers of a tar archive.
@Suite struct TarHeaderTests {
  @Test(
    arguments: [
      0, 1, 511, 512, 513, 1 << 20, 0o777_7777_7777, 0o777_7777_7777 + 1, 1 << 40, Int64.max - 512,
    ] as [Int64])
  func `a header is read as it was written`(_ byteCount: Int64) throws {
    let header = TarHeader(name: "photos/ab/abc", byteCount: byteCount, modifiedAt: 1_795_213_456)
    #expect(header.bytes.count == 512)
    #expect(TarHeader(header.bytes) == header)
    #expect((header.byteCount % 512 + Int64(header.padding)) % 512 == 0)
    #expect((0..<512).contains(header.padding))
  }

  /// Compares a header with what tar(1) reads, also of sizes beyond eleven octal digits.
  @Test(arguments: [12, 0o777_7777_7777 + 1] as [Int64])
  func `tar reads it`(_ byteCount: Int64) throws {
    let folder = try TemporaryFolder()
    try folder.write(TarHeader(name: "selfie.sqlite3", byteCount: byteCount, modifiedAt: 0).bytes, to: "a.tar")
    // The archive has no contents, so it complains of the end.
    let line = try Program.output(of: "/bin/sh", ["-c", "tar tvf \(folder.path)/a.tar 2>/dev/null"]).text
    #expect(line.hasPrefix("-rw------- 0/0 "), "\(line)")
    #expect(line.contains(" \(byteCount) 1970-01-01 "), "\(line)")
    #expect(line.hasSuffix(" selfie.sqlite3\n"), "\(line)")
  }

  @Test(arguments: [12, 0o777_7777_7777 + 1] as [Int64])
  func `no other bytes are a header`(_ byteCount: Int64) throws {
    let bytes = TarHeader(name: "credentials.env", byteCount: byteCount, modifiedAt: 1_795_213_456).bytes
    for index in bytes.indices {
      for bit in 0..<8 {
        var other = bytes
        other[index] ^= 1 << UInt8(bit)
        #expect(TarHeader(other) == nil, "byte \(index), bit \(bit)")
      }
    }
    #expect(TarHeader(Array(bytes.dropLast())) == nil)
    #expect(TarHeader([]) == nil)
  }
}
