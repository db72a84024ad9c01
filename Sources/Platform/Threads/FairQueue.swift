/// A queue in which kinds of work take turns and, among the work of one kind, clients do. The work of one client is
/// done in its order. `WorkerPool` does the work, and so does `Writer` in
/// SQLite.
package struct FairQueue<Element> {
  private var queues: [Flow: Queue<Element>] = [:]
  /// The kinds that wait, the next one first.
  private var kinds = Queue<Int>()
  /// Of each kind, the clients that wait, the next one first.
  private var clients: [Int: Queue<Int>] = [:]
  /// How much of each kind waits.
  private var counts: [Int: Int] = [:]
  package private(set) var count = 0

  package init() {}

  /// How much of a kind waits.
  package func count(ofKind kind: Int) -> Int { counts[kind] ?? 0 }

  package mutating func append(_ element: Element, _ flow: Flow) {
    if clients[flow.kind] == nil { kinds.append(flow.kind) }
    if queues[flow] == nil { clients[flow.kind, default: Queue()].append(flow.client) }
    queues[flow, default: Queue()].append(element)
    add(1, toKind: flow.kind)
  }

  package mutating func next() -> Element? {
    guard let kind = kinds.popFirst(), let client = clients[kind]?.popFirst() else { return nil }
    let flow = Flow(kind: kind, client: client)
    let element = queues[flow]?.popFirst()
    if queues[flow]?.count == 0 { queues[flow] = nil } else { clients[kind]?.append(client) }
    if clients[kind]?.count == 0 { clients[kind] = nil } else { kinds.append(kind) }
    add(-1, toKind: kind)
    return element
  }

  /// Removes the newest element of the client that has most of a kind waiting, unless this is no more than what another
  /// client would have with one element more.
  package mutating func makeRoom(for flow: Flow) -> Element? {
    let longest = queues.lazy.filter { $0.key.kind == flow.kind }.max { $0.value.count < $1.value.count }
    guard let longest, longest.value.count > (queues[flow]?.count ?? 0) + 1 else { return nil }
    add(-1, toKind: flow.kind)
    return queues[longest.key]?.popLast()
  }

  private mutating func add(_ number: Int, toKind kind: Int) {
    count += number
    counts[kind, default: 0] += number
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
