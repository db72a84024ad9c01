import CLinux
import Glibc
import HTTPMessages
import Synchronization
import Platform

/// An HTTP/1.1 server: a listening socket and an event loop on each of some threads.
public final class Server: Sendable {
  private let listener: Listener
  private let limits: Limits
  private let responder: Responder
  private let maxConnections: Int
  private let loops: [EventLoop]
  private let contexts = Monitor<[LoopBound<ConnectionTable>]>([])
  private let threads = Monitor<[Thread]>([])
  private let reserve = Monitor<OpenFile?>(nil)

  /// Nobody can connect before `start`.
  ///
  /// - Parameter loopCount: threads that serve; one for each core is best.
  public init(
    listener: Listener, loopCount: Int = Server.coreCount, limits: Limits = Limits(), responder: Responder
  ) throws {
    self.listener = listener
    self.limits = limits
    self.responder = responder
    maxConnections = limits.maxConnections(descriptors: Self.descriptorLimit())
    loops = try (0..<max(1, loopCount)).map { _ in try EventLoop() }
  }

  /// How many cores this process may use.
  public static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Connections open now, on all loops.
  var connectionCount: Int { loops.reduce(0) { $0 + $1.load.load(ordering: .relaxed) } }

  /// Starts to serve, on threads of its own.
  public func start() throws {
    try listener.open()
    reserve.withLock { $0 = Self.spareDescriptor() }
    let isReady = Platform.Semaphore()
    for (index, loop) in loops.enumerated() {
      let thread = try Thread(named: "http-\(index)") { [self] in serve(on: loop, isReady: isReady) }
      threads.withLock { $0.append(thread) }
    }
    // Any loop may be given the first connection, so all of them must be there before it.
    for _ in loops { isReady.wait() }
    guard loops[0].poller.addListener(listener.descriptor, token: Self.listenerToken) else {
      let error = SystemError("epoll_ctl")
      stop()
      throw error
    }
  }

  /// Stops: accepts nothing more, lets the requests under way finish for at most `limits.drainTimeout`
  /// milliseconds, closes every connection and waits for the threads. Blocks meanwhile.
  public func stop() {
    loops[0].execute { [self] in
      loops[0].poller.remove(listener.descriptor)
      listener.shut()
    }
    forEachContext { $0.drain() }
    let end = monotonicMilliseconds() + limits.drainTimeout
    // Idle connections are closed within a fraction of a millisecond; a request may take its time.
    var pause: useconds_t = 50
    while connectionCount > 0, monotonicMilliseconds() < end {
      usleep(pause)
      pause = min(pause * 2, 5_000)
    }
    forEachContext { $0.closeAll() }
    for loop in loops { loop.stop() }
    for thread in threads.withLock({ $0 }) { thread.join() }
    threads.withLock { $0.removeAll() }
  }

  private func forEachContext(_ body: @escaping @Sendable (ConnectionTable) -> Void) {
    for context in contexts.withLock({ $0 }) {
      context.loop.execute { body(context.value) }
    }
  }

  // MARK: - On the loops' threads

  private static let listenerToken = ConnectionTable.listenerFlag

  private func serve(on loop: EventLoop, isReady: Platform.Semaphore) {
    loop.adoptCurrentThread()
    let context = ConnectionTable(loop: loop, limits: limits, responder: responder)
    contexts.withLock { $0.append(LoopBound(context, loop: loop)) }
    isReady.signal()
    loop.run(
      turn: { events in context.turn(events) { _ in accept() } },
      endOfTurn: responder.endOfTurn,
      timeout: { context.timeout })
  }

  /// What one turn of the loop accepts, so that a crowd at the door does not keep those inside waiting.
  private static let maxAccepted = 64

  private func accept() {
    for _ in 0..<Self.maxAccepted {
      let (result, more) = listener.accept()
      switch result {
      case .connection(let descriptor, let peer): distribute(descriptor, peer: peer)
      case .none: break
      case .exhausted: acceptAndReject()
      }
      guard more else { return }
    }
  }

  /// Gives a new connection to the loop that has the fewest.
  private func distribute(_ descriptor: Int32, peer: String) {
    var total = 0
    var (least, leastLoad) = (loops[0], Int.max)
    for loop in loops {
      let load = loop.load.load(ordering: .relaxed)
      total += load
      if load < leastLoad { (least, leastLoad) = (loop, load) }
    }
    guard total < maxConnections else { return rejectOverCapacity(descriptor) }
    guard let context = contexts.withLock({ $0.first { $0.loop === least } }) else {
      close(descriptor)
      return
    }
    least.load.add(1, ordering: .relaxed)
    if least.isCurrent {
      context.value.add(Socket(owning: descriptor), peer: peer)
    } else {
      least.execute { context.value.add(Socket(owning: descriptor), peer: peer) }
    }
  }

  /// Tells a client that there are too many, without keeping anything of it.
  private func rejectOverCapacity(_ descriptor: Int32) {
    var writer = ResponseWriter()
    let refusal = responder.refuse(.serviceUnavailable, "The server has too many connections. Try again in a moment.")
    let head = writer.head(of: refusal, version: .http11, keepsAlive: false)
    let socket = Socket(owning: descriptor)
    if case .bytes(let content) = refusal.body { _ = (head + content).withUnsafeBytes { socket.write($0) } }
    socket.endWriting()
  }

  /// Out of descriptors: one that was kept for this moment is used to take in a connection and
  /// close it, since a connection that waits would wake the loop for ever.
  private func acceptAndReject() {
    reserve.withLock { reserve in
      reserve = nil
      if case .connection(let descriptor, _) = listener.accept().result { rejectOverCapacity(descriptor) }
      reserve = Self.spareDescriptor()
    }
  }

  private static func spareDescriptor() -> OpenFile? {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    return descriptor >= 0 ? OpenFile(owning: descriptor) : nil
  }

  private static func descriptorLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }
}
