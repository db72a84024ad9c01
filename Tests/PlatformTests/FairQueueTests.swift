import Testing

@testable import Platform

@Suite struct FairQueueTests {
  private func order(_ turns: [(kind: Int, client: Int, name: String)]) -> String {
    var queue = FairQueue<String>()
    for turn in turns { queue.append(turn.name, Turn(kind: turn.kind, client: turn.client)) }
    var names = ""
    while let name = queue.next() { names += name }
    #expect(queue.count == 0)
    return names
  }

  @Test func `the work of one client is done in its order`() {
    #expect(order("abcdef".map { (0, 0, "\($0)") }) == "abcdef")
  }

  @Test func `clients take turns`() {
    #expect(order([(0, 1, "a"), (0, 1, "b"), (0, 1, "c"), (0, 2, "x"), (0, 3, "p"), (0, 2, "y")]) == "axpbyc")
  }

  @Test func `kinds take turns, however many clients one of them has`() {
    let many = (0..<6).map { (kind: 0, client: $0, name: "\($0)") }
    #expect(order(many + [(1, 9, "x"), (1, 9, "y")]) == "0x1y2345")
  }

  @Test func `who comes while others wait is behind each of them once`() {
    var queue = FairQueue<String>()
    for name in ["a", "b", "c"] { queue.append(name, Turn(client: 1)) }
    #expect(queue.next() == "a")
    queue.append("x", Turn(client: 2))
    #expect(queue.next() == "b")
    #expect(queue.next() == "x")
    queue.append("y", Turn(client: 2))
    #expect(queue.next() == "c")
    #expect(queue.next() == "y")
    #expect(queue.next() == nil)
  }

  @Test func `room is made at the end of the longest queue of the kind, for a client with a shorter one`() {
    var queue = FairQueue<String>()
    for name in ["a", "b", "c"] { queue.append(name, Turn(client: 1)) }
    for name in ["p", "q", "r", "s"] { queue.append(name, Turn(kind: 7, client: 1)) }
    queue.append("x", Turn(client: 2))
    #expect(queue.makeRoom(for: Turn(client: 1)) == nil)
    #expect(queue.makeRoom(for: Turn(client: 2)) == "c")
    #expect(queue.makeRoom(for: Turn(client: 2)) == nil)
    #expect(queue.makeRoom(for: Turn(client: 3)) == "b")
    #expect(queue.makeRoom(for: Turn(client: 3)) == nil)
    #expect(queue.makeRoom(for: Turn(kind: 5, client: 3)) == nil)
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
        queue.append(added, Turn())
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
