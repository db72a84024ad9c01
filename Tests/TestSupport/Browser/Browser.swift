import Foundation
import Glibc
import Platform
import SelfieTestDocuments

/// Headless Chromium, driven by the DevTools protocol over a pipe: one message after the other, each with a NUL at its
/// end.
package final class Browser: Sendable {
  private static let launched = Task { try Browser() }

  /// The browser that all tests share. A page in it has its own cookies and storage.
  package static func shared() async throws -> Browser { try await launched.value }

  typealias Listener = @Sendable (_ method: String, _ parameters: JSONValue) -> Void

  private struct State {
    var lastID = 0
    var calls: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
    var listeners: [String: Listener] = [:]
    var isClosed = false
  }

  private let state = Monitor(State())
  private let output: Int32
  private let program: Program

  /// Chromium ends when the pipe does, at the latest with this process, and the shell then removes its profile.
  private init() throws {
    guard let path = Chromium.path else { throw NotPossible("Chromium is not installed") }
    let (input, output) = (try ProgramPipe(), try ProgramPipe())
    let errors = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { for descriptor in [input.reading, output.writing, errors] { close(descriptor) } }
    program = try Program(
      "/bin/sh",
      [
        "-c",
        """
        profile="$(mktemp -d)"; export HOME="$profile"
        echo '\(Self.socketsWithoutNetlink)' | cc -shared -fPIC -x c -o "$profile/sockets.so" - &&
          export LD_PRELOAD="$profile/sockets.so"
        "$0" "$@" --user-data-dir="$profile" 3<&0 4>&1 </dev/null >/dev/null; rm -rf "$profile"
        """, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--disable-background-networking", "--no-first-run", "--remote-debugging-pipe",
        "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
        // A name that is not this machine's own, as a visitor in the same network uses one.
        "--host-resolver-rules=MAP *.test 127.0.0.1",
      ],
      environment: ["PATH": "/usr/bin:/bin"], input: input.reading, output: output.writing, errors: errors)
    self.output = input.writing
    let reading = output.reading
    _ = try Platform.Thread(named: "browser") { [self] in read(from: reading) }
  }

  /// Keeps Chromium from noticing the machine's network interfaces: whenever another program makes or removes one, the
  /// requests under way would fail with ERR_NETWORK_CHANGED.
  private static let socketsWithoutNetlink = """
    #define _GNU_SOURCE
    #include <errno.h>
    #include <sys/socket.h>
    #include <sys/syscall.h>
    #include <unistd.h>
    int socket(int domain, int type, int protocol) {
      if (domain == AF_NETLINK) return errno = EAFNOSUPPORT, -1;
      return syscall(SYS_socket, domain, type, protocol);
    }
    """

  /// A page of its own, which nothing shares anything with.
  package func page(width: Int = 1280, height: Int = 900) async throws -> BrowserPage {
    let context = try await call("Target.createBrowserContext")["browserContextId"]
    let target = try await call(
      "Target.createTarget", ["url": "about:blank", "browserContextId": context])["targetId"]
    let attached = try await call("Target.attachToTarget", ["targetId": target, "flatten": true])
    guard let session = attached["sessionId"].text else { throw NotPossible("no session") }
    let page = BrowserPage(self, session: session, context: context)
    state.withLock { $0.listeners[session] = { [weak page] in page?.noteEvent($0, $1) } }
    try await page.prepare(width: width, height: height)
    return page
  }

  /// Calls a method of the protocol.
  func call(_ method: String, _ parameters: JSONValue = [:], session: String? = nil) async throws -> JSONValue {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    var message: [String: JSONValue] = ["id": .number("\(id)"), "method": .string(method), "params": parameters]
    if let session { message["sessionId"] = .string(session) }
    let bytes = try JSONEncoder().encode(JSONValue.object(message)) + [0]
    let result = try await withCheckedThrowingContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isClosed { state.calls[id] = continuation }
        return !state.isClosed
      }
      guard isOpen else { return continuation.resume(throwing: NotPossible("the browser has ended")) }
      write(bytes)
    }
    if let message = result["error"]["message"].text { throw NotPossible("\(method): \(message)") }
    return result["result"]
  }

  private func write(_ bytes: Data) {
    // Whole messages, one after the other.
    state.withLock { _ in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  private func read(from descriptor: Int32) {
    var buffer = Data()
    var block = [UInt8](repeating: 0, count: 65536)
    while case let count = Glibc.read(descriptor, &block, block.count), count > 0 {
      buffer += block[..<count]
      guard let last = buffer.lastIndex(of: 0) else { continue }
      for message in buffer[..<last].split(separator: 0) where Self.isRead(message) {
        if let message = try? JSONValue(parsing: message) { receive(message) }
      }
      buffer = Data(buffer[(last + 1)...])
    }
    close(descriptor)
    let calls = state.withLock { state in
      state.isClosed = true
      defer { state.calls = [:] }
      return state.calls.values
    }
    for call in calls { call.resume(throwing: NotPossible("the browser has ended")) }
  }

  /// Whether somebody reads a message: a response, or an event that `BrowserPage` notes. Most events are neither, and
  /// are not worth being parsed.
  private static func isRead(_ message: Data) -> Bool {
    let beginning = String(decoding: message.prefix(80), as: UTF8.self).split(separator: "\"", maxSplits: 4)
    guard beginning.count > 3, beginning[1] == "method" else { return true }
    return BrowserPage.events.contains(String(beginning[3]))
  }

  private func receive(_ message: JSONValue) {
    if let id = message["id"].number {
      state.withLock { $0.calls.removeValue(forKey: Int(id)) }?.resume(returning: message)
    } else if let session = message["sessionId"].text, let method = message["method"].text {
      state.withLock { $0.listeners[session] }?(method, message["params"])
    }
  }
}
