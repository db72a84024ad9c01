import Testing

@testable import Platform

@Suite struct FairQueueTests {
  @Test(arguments: [
    ([(0, 1, "a"), (0, 1, "b"), (0, 1, "c"), (0, 2, "x"), (0, 3, "p"), (0, 2, "y")], "axpbyc"),
    ([(0, 0, "0"), (0, 1, "1"), (0, 2, "2"), (0, 3, "3"), (1, 9, "x"), (1, 9, "y")], "0x1y23"),
  ])
  func `clients take turns, and so do kinds of work`(work: [(kind: Int, client: Int, name: String)], order: String) {
    var queue = FairQueue<String>()
    for (kind, client, name) in work { queue.append(name, Flow(kind: kind, client: client)) }
    var names = ""
    while let name = queue.next() { names += name }
    #expect(names == order)
    #expect(queue.count == 0)
  }

  @Test func `a client that comes while others wait comes after each of them once`() {
    var queue = FairQueue<String>()
    for name in ["a", "b", "c"] { queue.append(name, Flow(client: 1)) }
    #expect(queue.next() == "a")
    queue.append("x", Flow(client: 2))
    #expect(queue.next() == "b")
    #expect(queue.next() == "x")
    queue.append("y", Flow(client: 2))
    #expect(queue.next() == "c")
    #expect(queue.next() == "y")
    #expect(queue.next() == nil)
  }

  @Test func `room is made at the end of the longest queue of the kind, for a client with a shorter one`() {
    var queue = FairQueue<String>()
    for name in ["a", "b", "c"] { queue.append(name, Flow(client: 1)) }
    for name in ["p", "q", "r", "s"] { queue.append(name, Flow(kind: 7, client: 1)) }
    queue.append("x", Flow(client: 2))
    #expect(queue.makeRoom(for: Flow(client: 1)) == nil)
    #expect(queue.makeRoom(for: Flow(client: 2)) == "c")
    #expect(queue.makeRoom(for: Flow(client: 2)) == nil)
    #expect(queue.makeRoom(for: Flow(client: 3)) == "b")
    #expect(queue.makeRoom(for: Flow(client: 3)) == nil)
    #expect(queue.makeRoom(for: Flow(kind: 5, client: 3)) == nil)
    #expect(queue.count == 6)
    #expect(queue.count(ofKind: 0) == 2)
    #expect(queue.count(ofKind: 7) == 4)
    #expect((0..<6).compactMap { _ in queue.next() } == ["a", "p", "x", "q", "r", "s"])
  }

  @Test func `long queues are emptied in order`() {
    var queue = FairQueue<Int>()
    var (added, taken) = (0, 0)
    for round in 0..<200 {
      for _ in 0..<(round % 60) {
        queue.append(added, Flow())
        added += 1
      }
      for _ in 0..<(round % 45) {
        guard let next = queue.next() else { break }
        #expect(next == taken)
        taken += 1
      }
      #expect(queue.count == added - taken)
    }
  }
}
