import Glibc
import Platform
import TestSupport
import Testing

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
