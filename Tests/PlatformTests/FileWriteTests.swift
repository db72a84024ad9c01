import Platform
import TestSupport
import Testing

@Suite struct FileWriteTests {
  @Test(arguments: [[], [0], [1, 0, 2], [0, 0, 70_001], Array(repeating: 30_001, count: 40)])
  func `chunks are written whole and in their order`(_ counts: [Int]) throws {
    let folder = try TemporaryFolder()
    let chunks = counts.enumerated().map { number, count in Array(repeating: UInt8(number), count: count) }
    let file = try FileSystem.create("\(folder.path)/file")
    try FileSystem.write(chunks.map { $0[...] }, to: file, path: "file")
    #expect(try folder.bytes(of: "file") == chunks.flatMap(\.self))
  }

  @Test func `an error names the path`() throws {
    let folder = try TemporaryFolder()
    try folder.write("text", to: "file")
    let file = try #require(try FileSystem.open("\(folder.path)/file"))
    let error = #expect(throws: FileError.self) { try FileSystem.write([[1]], to: file, path: "a name") }
    #expect(error?.path == "a name")
  }
}
