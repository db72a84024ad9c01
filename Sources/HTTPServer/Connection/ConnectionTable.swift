import HTTPMessages
import Platform

/// The connections of one event loop, and their shared state. Only the loop's thread touches it. `HTTPConnection` has
/// the state of one connection.
final class ConnectionTable {
  let loop: EventLoop
  let limits: Limits
  let responder: Responder
  /// Counts the memory held by the clients of all loops.
  let memory: MemoryBudget
  var writer = ResponseWriter()
  var handshakes: Handshakes
  /// Monotonic milliseconds at the beginning of the loop's current turn.
  private(set) var now = monotonicMilliseconds()
  /// Whether the server is about to stop: no connection is kept for another request.
  private(set) var isDraining = false
  /// Called when a connection closes while the table drains.
  private var onClose: (() -> Void)?

  private(set) var connections: [HTTPConnection?] = []
  private var generations: [UInt32] = []
  private var freeSlots: [Int] = []
  private var deadlines = Deadlines()
  private var spareBuffers: [InputBuffer] = []
  private var resumable = FairQueue<HTTPConnection>()
  /// Until when connections are resumed, in monotonic nanoseconds; 0 while none is.
  private var resumingEnd: Int64 = 0
  /// Bytes of bodies that were read for waiting handlers in the current turn, and in those before whose tasks have yet to
  /// run. Their memory is not counted until then.
  var bodyBytesInTurn = 0
  private var endingCount = 0
  /// When there may be connections again that give way.
  private var roomlessUntil: Int64 = 0
  private var isMakingRoom = false
  var lastDropping: Int64 = 0
  /// The budget's `lookCount` then.
  var droppedAtLook = 0

  /// So many connections of one network are not many, however few there are in all.
  private static let minMany = 16
  /// Milliseconds. To look at all connections takes a millisecond or two.
  private static let roomlessTime: Int64 = 20

  /// Buffers kept for the next connections that read. More connections than these rarely hold incomplete requests at
  /// the end of a turn.
  private static let maxSpareBuffers = 16

  init(loop: EventLoop, limits: Limits, memory: MemoryBudget, responder: Responder) {
    self.loop = loop
    self.limits = limits
    self.memory = memory
    self.responder = responder
    handshakes = Handshakes(limits: limits)
  }

  var connectionCount: Int { connections.count - freeSlots.count }

  /// Whether one more connection may keep its sending side open while the rest of its last request is thrown away.
  func beginEnding() -> Bool {
    guard endingCount < limits.maxEndingConnections else { return false }
    endingCount += 1
    return true
  }

  func finishEnding() { endingCount -= 1 }

  /// How long the loop may wait, in milliseconds; -1 for ever.
  var timeout: Int32 {
    if resumable.count > 0 { return 0 }
    return connectionCount == 0 ? -1 : deadlines.wait(from: now)
  }

  /// - Parameters:
  ///   - tls: nil for plain HTTP.
  ///   - isOverCapacity: whether the server has no room for it: it only gets an error.
  func add(_ socket: Socket, peer: String, tls: TLSContext? = nil, isOverCapacity: Bool = false) {
    let slot = freeSlots.popLast() ?? connections.count
    if slot == connections.count {
      connections.append(nil)
      generations.append(0)
    }
    let token = UInt64(generations[slot]) << 32 | UInt64(slot)
    guard socket.watch(with: loop.poller, token: token) else {
      freeSlots.append(slot)
      loop.countClosed(isOverCapacity: isOverCapacity)
      onClose?()
      return
    }
    let connection = HTTPConnection(slot: slot, socket: socket, peer: peer, table: self)
    connection.isOverCapacity = isOverCapacity
    connections[slot] = connection
    if isOverCapacity {
      return connection.refuse(RequestError(status: .serviceUnavailable, message: HTTPConnection.overCapacity))
    }
    connection.start(tls)
    // Another loop accepted it just before the server was told to stop.
    if isDraining { connection.drain() }
  }

  /// Closes connections that keep the server waiting, in the order in which they give way: first those of the network that
  /// has most connections; of equal ones, those without a request, and the one that has been idle longest. It closes a
  /// sixty-fourth of all, so that room for a connection takes the same time however many there are.
  ///
  /// - Returns: whether it closed any.
  func makeRoom() -> Bool {
    // When hardly any gives way, each new connection would take a look at all of them. A connection that gives way may
    // have had a request, whose file needs room again.
    guard now >= roomlessUntil, !isMakingRoom else { return false }
    isMakingRoom = true
    defer { isMakingRoom = false }
    let all = connections.compactMap(\.self)
    let counts = all.reduce(into: [:]) { counts, connection in counts[connection.network, default: 0] += 1 }
    let many = max(Self.minMany, all.count / 8)
    let isOfMany = { (connection: HTTPConnection) in counts[connection.network, default: 0] > many }
    let ranked = all.filter { $0.mayGiveWay(isOfMany: isOfMany($0)) }.map { connection in
      (connection: connection, rank: (counts[connection.network, default: 0], connection.isWithoutRequest ? 1 : 0))
    }.sorted { ($0.rank.0, $0.rank.1, $1.connection.idleSince) > ($1.rank.0, $1.rank.1, $0.connection.idleSince) }
    let wanted = 1 + all.count / 64
    var closed = 0
    // Some are answered instead.
    for (connection, _) in ranked.prefix(4 * wanted) where closed < wanted {
      connection.giveWay(isOfMany: isOfMany(connection))
      if connection.isClosed { closed += 1 }
    }
    if closed < wanted { roomlessUntil = now &+ Self.roomlessTime }
    return closed > 0
  }

  /// Removes a connection that has closed.
  func remove(_ connection: HTTPConnection) {
    let slot = connection.slot
    guard connections[slot] === connection else { return }
    connections[slot] = nil
    // The highest bit tells the other tokens from those of connections.
    generations[slot] = (generations[slot] &+ 1) & 0x7fff_ffff
    freeSlots.append(slot)
    deadlines.clear(slot)
    loop.countClosed(isOverCapacity: connection.isOverCapacity)
    onClose?()
  }

  /// One turn of the loop: events, deadlines, and connections that have more to do.
  ///
  /// - Parameters:
  ///   - isBehind: whether tasks of the turn before have yet to run.
  ///   - accept: called when there are connections to accept.
  func turn(_ events: [Poller.Event], isBehind: Bool, accept: () -> Void) {
    now = monotonicMilliseconds()
    if !isBehind { bodyBytesInTurn = 0 }
    let end = monotonicNanoseconds() &+ Self.eventTime
    var isOver = false
    for event in events {
      let slot = Int(event.token & 0xffff_ffff)
      if event.token == Self.listenerToken {
        accept()
      } else if slot < connections.count, generations[slot] == UInt32(event.token >> 32) {
        connections[slot]?.handle(event, isLate: isOver)
        isOver = isOver || memory.isShort || monotonicNanoseconds() >= end
      }
    }
    for slot in deadlines.takeExpired(at: now) { connections[slot]?.deadlineExpired() }
    if memory.isShort { dropSlowest() }
    resumeConnections(for: isOver ? Self.eventTime : Self.resumingTime)
  }

  /// The token of the listener's events. No connection has it.
  static let listenerToken: UInt64 = 1 << 63

  /// Nanoseconds of a turn in which events are handled in their order. The connections of the rest are resumed in turns by
  /// network, for as long, so that no client waits for all the requests of another with hundreds of connections.
  private static let eventTime: Int64 = 1_000_000

  /// Nanoseconds of another turn in which connections are resumed. A client whose request has just arrived waits this long
  /// for clients that have sent hundreds. A turn without events costs a few microseconds.
  private static let resumingTime: Int64 = 100_000

  /// Resumes a connection after the events of this or a later turn. Networks take turns, and so do kinds of work.
  func resumeLater(_ connection: HTTPConnection) {
    guard !connection.isToBeResumed else { return }
    connection.isToBeResumed = true
    resumable.append(connection, Flow(kind: kind(of: connection).rawValue, client: connection.network))
  }

  /// Why a connection is resumed.
  private enum Kind: Int {
    /// Something has arrived, or may be sent.
    case event
    /// A signature takes up to a third of a millisecond.
    case handshake
    /// Thousands of clients may send many requests at once. Others, who wait for a response before they send the next
    /// request, need not wait for all of these.
    case sentAhead
  }

  private func kind(of connection: HTTPConnection) -> Kind {
    connection.isHandshaking ? .handshake : connection.hasSentAhead ? .sentAhead : .event
  }

  private func resumeConnections(for time: Int64) {
    guard resumable.count > 0 else { return }
    resumingEnd = monotonicNanoseconds() &+ time
    // Those that have more to do after this are resumed in the next turn.
    for _ in 0..<resumable.count {
      guard let connection = resumable.next() else { break }
      connection.isToBeResumed = false
      connection.resume()
      guard hasTimeLeft else { break }
    }
    resumingEnd = 0
  }

  /// Whether a connection that is being resumed may go on. False for one that has had an event, which is worth one request.
  var hasTimeLeft: Bool { resumingEnd > 0 && monotonicNanoseconds() < resumingEnd }

  /// Calls `deadlineExpired` on the connection after `milliseconds`, unless set anew before.
  func setDeadline(of connection: HTTPConnection, after milliseconds: Int64) {
    deadlines.set(connection.slot, to: now &+ milliseconds)
  }

  /// Whether another part of a body may be read in this turn. Connections that are being resumed have a time limit
  /// instead.
  var mayReadBody: Bool { resumingEnd > 0 || bodyBytesInTurn < Self.maxBodyBytesInTurn }

  /// Enough for ten clients that send as fast as the server reads. It takes a millisecond.
  private static let maxBodyBytesInTurn = 2 << 20

  func takeBuffer() -> InputBuffer {
    spareBuffers.popLast() ?? InputBuffer(memory: memory)
  }

  func giveBack(_ buffer: InputBuffer) {
    buffer.clear()
    if spareBuffers.count < Self.maxSpareBuffers { spareBuffers.append(buffer) }
  }

  /// Closes idle connections; the others close after their current response.
  ///
  /// - Parameter onClose: called now, and each time a connection closes from now on.
  func drain(onClose: @escaping () -> Void) {
    isDraining = true
    self.onClose = onClose
    for connection in connections { connection?.drain() }
    // Connections may have closed after the caller has counted them and before this.
    onClose()
  }

  /// Closes every connection, whatever it is doing.
  func closeAll() {
    for connection in connections { connection?.close() }
  }
}
