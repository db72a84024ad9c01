import Foundation
import Glibc
import Platform
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct PlainFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("text", to: "file")
    try folder.makeFolder("folder")
    try #require(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    for target in ["file", "pipe", "nothing", "loop"] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder.path)/to-\(target)", withDestinationPath: target == "loop" ? "to-loop" : target)
    }
  }

  @Test(arguments: ["file", "to-file"]) func `a plain file is read, by a link too`(_ name: String) throws {
    #expect(try FileSystem.contents(of: "\(folder.path)/\(name)", maxBytes: 10) == Array("text".utf8))
    #expect(try FileSystem.open("\(folder.path)/\(name)") != nil)
  }

  @Test(arguments: ["pipe", "to-pipe", "to-loop"]) func `a pipe is refused without waiting`(_ name: String) {
    let path = "\(folder.path)/\(name)"
    for read in [{ _ = try FileSystem.contents(of: path, maxBytes: 10) }, { _ = try FileSystem.open(path) }] {
      let error = #expect(throws: FileError.self, performing: read)
      #expect(error?.reason == "Not a plain file")
    }
  }

  @Test func `a folder is refused, and what is not there is nothing`() throws {
    let error = #expect(throws: FileError.self) { try FileSystem.contents(of: "\(folder.path)/folder", maxBytes: 10) }
    #expect(error?.number == EISDIR)
    for name in ["none", "to-nothing", "file/below"] {
      #expect(try FileSystem.contents(of: "\(folder.path)/\(name)", maxBytes: 10) == nil)
    }
    #expect(try FileSystem.contents(of: "/dev/null", maxBytes: 10) == [])
  }

  @Test func `a link can be refused`() throws {
    #expect(try PlainFile(at: "\(folder.path)/file", followsLink: false)?.byteCount == 4)
    for name in ["to-file", "to-nothing"] {
      let error = #expect(throws: FileError.self) { try PlainFile(at: "\(folder.path)/\(name)", followsLink: false) }
      #expect(error?.number == FileError.notPlain)
    }
  }
}
