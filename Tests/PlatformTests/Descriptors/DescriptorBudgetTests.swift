import Glibc
import Synchronization
import Testing

@testable import Platform

@Suite struct DescriptorBudgetTests {
  @Test(arguments: [(64, 48), (200, 150), (256, 192), (512, 384), (1_024, 896), (65_536, 65_408)])
  func `clients leave descriptors for the server itself`(descriptors: Int, clients: Int) {
    #expect(DescriptorBudget.clientLimit(of: descriptors) == clients)
  }

  @Test func `a file beyond the limit is kept only if connections make room`() throws {
    let file = try OpenFile("/dev/null", O_RDONLY)
    #expect(try DescriptorBudget(limit: .max).keep(file, path: "a", mayWait: false) === file)
    let full = DescriptorBudget(limit: 0)
    let asked = Atomic<Int>(0)
    full.setRoomMaker(of: file) { _ in
      asked.add(1, ordering: .relaxed)
      return true
    }
    // Nobody has a number below zero.
    #expect(throws: FileError.self) { try full.keep(file, path: "a", mayWait: false) }
    #expect(asked.load(ordering: .relaxed) == 1)
    full.setRoomMaker(of: file, nil)
    #expect(throws: FileError.self) { try full.keep(file, path: "a", mayWait: false) }
    #expect(asked.load(ordering: .relaxed) == 1)
  }

  @Test(arguments: [true, false])
  func `room is made before a file cannot be opened`(makesRoom: Bool) throws {
    let budget = DescriptorBudget(limit: .max)
    let attempts = Atomic<Int>(0)
    let hasRoom = Atomic<Bool>(false)
    let owner = try OpenFile("/dev/null", O_RDONLY)
    budget.setRoomMaker(of: owner) { _ in
      hasRoom.store(makesRoom, ordering: .relaxed)
      return makesRoom
    }
    let opened = try? budget.open(mayWait: false) { () throws(FileError) in
      attempts.add(1, ordering: .relaxed)
      guard hasRoom.load(ordering: .relaxed) else { throw FileError("open", "a", number: EMFILE) }
      return 7
    }
    #expect(opened == (makesRoom ? 7 : nil))
    #expect(attempts.load(ordering: .relaxed) == (makesRoom ? 2 : 1))
    #expect(throws: FileError.self) {
      try budget.open(mayWait: false) { () throws(FileError) in throw FileError("open", "a", number: ENOENT) }
    }
  }
}
