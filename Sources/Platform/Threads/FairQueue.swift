/// A queue in which kinds of work take turns and, among the work of one kind, clients do. The work of one client is
/// done in its order. `WorkerPool` does the work, and so does `Writer` in SQLite.
package struct FairQueue<Element> {
  private var kinds: [Int: RoundRobin<Element>] = [:]
  /// The kinds that wait, the next one first.
  private var waiting = Queue<Int>()
  package private(set) var count = 0

  package init() {}

  /// How much of a kind waits.
  package func count(ofKind kind: Int) -> Int { kinds[kind]?.count ?? 0 }

  package mutating func append(_ element: Element, _ flow: Flow) {
    if kinds[flow.kind] == nil { waiting.append(flow.kind) }
    kinds[flow.kind, default: RoundRobin()].append(element, of: flow.client)
    count += 1
  }

  package mutating func next() -> Element? {
    guard let kind = waiting.popFirst(), let element = kinds[kind]?.next() else { return nil }
    if kinds[kind]?.count == 0 { kinds[kind] = nil } else { waiting.append(kind) }
    count -= 1
    return element
  }

  /// Removes the newest element of the client that has most of a kind waiting, unless this is no more than what another
  /// client would have with one element more.
  package mutating func makeRoom(for flow: Flow) -> Element? {
    guard let element = kinds[flow.kind]?.makeRoom(for: flow.client) else { return nil }
    count -= 1
    return element
  }
}

/// The work of one kind for one client, which takes turns with that of others: a flow, in the words of fair queueing.
package struct Flow: Hashable, Sendable {
  package let kind: Int
  let client: Int

  /// - Parameters:
  ///   - kind: of the work. Kinds take turns.
  ///   - client: for whom it is done. Among the work of one kind, clients take turns.
  package init(kind: Int = 0, client: Int = 0) {
    self.kind = kind
    self.client = client
  }
}

/// The queues of clients that take turns.
private struct RoundRobin<Element> {
  private var queues: [Int: Queue<Element>] = [:]
  /// The clients that wait, the next one first.
  private var waiting = Queue<Int>()
  private(set) var count = 0

  mutating func append(_ element: Element, of client: Int) {
    if queues[client] == nil { waiting.append(client) }
    queues[client, default: Queue()].append(element)
    count += 1
  }

  mutating func next() -> Element? {
    guard let client = waiting.popFirst(), let element = queues[client]?.popFirst() else { return nil }
    if queues[client]?.count == 0 { queues[client] = nil } else { waiting.append(client) }
    count -= 1
    return element
  }

  mutating func makeRoom(for client: Int) -> Element? {
    guard let longest = queues.max(by: { $0.value.count < $1.value.count }),
      longest.value.count > (queues[client]?.count ?? 0) + 1
    else { return nil }
    count -= 1
    return queues[longest.key]?.popLast()
  }
}

/// First in, first out.
private struct Queue<Element> {
  private var elements: [Element?] = []
  /// The index of the first element that is still there.
  private var first = 0

  var count: Int { elements.count - first }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

  mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    defer {
      elements[first] = nil
      first += 1
      if first == elements.count || first > 1024 {
        elements.removeFirst(first)
        first = 0
      }
    }
    return elements[first]
  }

  mutating func popLast() -> Element? {
    first < elements.count ? elements.removeLast() : nil
  }
}
