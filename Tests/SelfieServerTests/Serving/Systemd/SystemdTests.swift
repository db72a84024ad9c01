import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

/// Servers that get their socket from a process that plays systemd's part.
@Suite(.timeLimit(.minutes(10))) struct SocketActivationTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A shell sets the pid, which becomes the server's.
  private static let variables = "export LISTEN_PID=$$ LISTEN_FDS=1"

  private func serve(on socket: ListeningSocket, _ environment: [String: String] = [:]) throws -> ServerProcess {
    // A server that listened by itself would fail: this machine has no such address.
    try ServerProcess(
      environment: ["HOST": "192.0.2.1", "PORT": "1"].merging(environment) { $1 }, in: folder, shell: Self.variables,
      passing: socket.descriptor)
  }

  private func expectFailure(
    saying text: String, shell: String = Self.variables, passing descriptor: Int32?,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    _ = try await ServerProcess(in: folder, shell: shell, passing: descriptor)
      .outcome(1, saying: [text], sourceLocation)
  }

  @Test func `a server serves on the socket that systemd passes, whatever its settings say`() async throws {
    let socket = try ListeningSocket()
    let server = try serve(on: socket)
    #expect(try await server.port() == socket.port)
    #expect(await server.output.first { _ in true } == "Listening on http://127.0.0.1:\(socket.port)")
    await server.stop()

    // A client that connects between two servers gets its response from the second.
    let client = try await RawClient.connect(to: socket.port)
    try await client.send(Load.request)
    let second = try serve(on: socket)
    #expect(try await client.response().status == 200)
    await second.stop()
  }

  @Test func `its socket cannot refuse connections`() async throws {
    let server = try serve(on: ListeningSocket(), ["EPHEMERAL": "on"])
    let response = try await server.response(toFault: "refused")
    #expect(response.status == 400 && response.text.contains("The service manager keeps the port open"))
    await server.stop()
  }

  @Test(arguments: [false, true])
  func `no request fails while the server restarts under load`(hasTLS: Bool) async throws {
    let socket = try ListeningSocket()
    if hasTLS { try TestCertificate().write(to: folder, "tls") }
    let environment = hasTLS ? TestCertificate.environment : [:]
    let load = Load(port: socket.port, tls: hasTLS ? ClientTLS.Options() : nil)
    async let failures = load.run(clients: 8)
    defer { load.end() }
    for _ in 0..<4 {
      let server = try await serve(on: socket, environment).listening()
      let before = load.count
      try await waitUntil { load.count >= before + 100 }
      await server.stop()
    }
    let last = try await serve(on: socket, environment).listening()
    load.end()
    let failed = try await failures
    #expect(failed.isEmpty, "\(failed)")
    #expect(load.count >= 400)
    await last.stop()
  }

  @Test func `a variable that was meant for another process is of no importance`() async throws {
    try await ServerProcess(in: folder, shell: "export LISTEN_PID=1 LISTEN_FDS=1").listening().stop()
  }

  @Test func `a descriptor that is no listening TCP socket is refused with the reason`() async throws {
    let bound = try ListeningSocket(listens: false)
    try await expectFailure(saying: "The socket from systemd does not listen.", passing: bound.descriptor)
    let pipe = try ProgramPipe()
    defer { for end in [pipe.reading, pipe.writing] { close(end) } }
    try await expectFailure(saying: "The socket from systemd is not a TCP socket.", passing: pipe.reading)
    try await expectFailure(
      saying: "systemd passes 2 sockets, but the server accepts only one.", shell: "export LISTEN_PID=$$ LISTEN_FDS=2",
      passing: nil)
  }
}

/// Clients that send one request after another, each on a connection of its own.
private final class Load: Sendable {
  static let request = "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

  private let port: Int
  private let tls: ClientTLS.Options?
  private let hasEnded = Atomic(false)
  private let answered = Atomic(0)

  /// - Parameter tls: nil for plain HTTP.
  init(port: Int, tls: ClientTLS.Options?) {
    self.port = port
    self.tls = tls
  }

  /// How many requests were answered with 200.
  var count: Int { answered.load(ordering: .relaxed) }

  func end() { hasEnded.store(true, ordering: .relaxed) }

  /// The failures until `end`.
  func run(clients: Int) async throws -> [String] {
    try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<clients { group.addTask { try await Blocking.run { self.requests() } } }
      return try await group.reduce(into: []) { $0 += $1 }
    }
  }

  private func requests() -> [String] {
    var failures: [String] = []
    while !hasEnded.load(ordering: .relaxed) {
      do {
        let client = try RawClient(tls: tls)
        try client.connect(to: port)
        try client.send(Array(Self.request.utf8))
        let status = try client.response().status
        if status == 200 { answered.add(1, ordering: .relaxed) } else { failures.append("\(status)") }
      } catch {
        failures.append("\(error)")
      }
    }
    return failures
  }
}

/// A socket of this process, as a .socket unit of systemd has it.
final class ListeningSocket: Sendable {
  let descriptor: Int32
  let port: Int

  /// - Parameter listens: false for a socket that is only bound.
  init(listens: Bool = true) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let port = RawClient.bindToFreePort(descriptor)
    self.port = port ?? 0
    guard port != nil, !listens || listen(descriptor, SOMAXCONN) == 0 else { throw SystemError("bind") }
  }

  deinit {
    close(descriptor)
  }
}

/// Servers that report to a process that plays systemd's part.
@Suite(.timeLimit(.minutes(10))) struct NotificationTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(arguments: [false, true])
  func `systemd learns when the server is ready and when it stops, and a watchdog of another process nothing`(
    isAbstract: Bool
  ) async throws {
    let socket = try NotificationSocket(in: folder, isAbstract: isAbstract)
    // The watchdog's variables are for another process.
    let server = try ServerProcess(
      environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"], in: folder)
    #expect(try await socket.next() == "READY=1")
    // From now on clients may connect.
    let app = try await server.appOfNewUser()
    #expect(try await app.loadSelfieData().isEmpty)
    server.signal(SIGTERM)
    #expect(try await socket.next() == "STOPPING=1")
    #expect(await server.status() == 0)
  }

  @Test func `the watchdog hears of the server again and again, until it stops`() async throws {
    let socket = try NotificationSocket(in: folder, isAbstract: true)
    let server = try ServerProcess(
      environment: ["NOTIFY_SOCKET": socket.name, "WATCHDOG_USEC": "20000"], in: folder,
      shell: "export WATCHDOG_PID=$$")
    #expect(try await socket.next() == "READY=1")
    for _ in 0..<5 { #expect(try await socket.next() == "WATCHDOG=1") }
    server.signal(SIGTERM)
    var last = ""
    repeat { last = try await socket.next() } while last == "WATCHDOG=1"
    #expect(last == "STOPPING=1")
    #expect(await server.status() == 0)
  }

  @Test(arguments: ["relative", "/nowhere/notify", "@nobody-listens-here"])
  func `a server that cannot report serves, and says so`(name: String) async throws {
    let server = try await ServerProcess(environment: ["NOTIFY_SOCKET": name], in: folder).listening()
    try await server.logged("systemd")
  }
}

/// Receives what services report.
private final class NotificationSocket: Sendable {
  /// The value of NOTIFY_SOCKET.
  let name: String
  private let descriptor: Int32

  init(in folder: TemporaryFolder, isAbstract: Bool) throws {
    let path = "\(folder.path)/notify"
    name = isAbstract ? "@\(path)" : path
    let address = try isAbstract ? UnixSocketAddress(abstractName: path) : UnixSocketAddress(path: path)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let descriptor = descriptor
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else { throw SystemError("bind") }
    // Bounds only how long a test hangs that has failed.
    var time = timeval(tv_sec: 90, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(descriptor)
  }

  /// The next message.
  func next() async throws -> String {
    try await Blocking.run { [self] in
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count >= 0 else { throw SystemError("recv") }
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }
}
