import Glibc
import HTTPMessages
import Logging
import Platform
import SelfieOperations

/// Serves the owner's commands through `control.sock`, on threads of its own: a server that is busy, or that has as
/// many clients as it may have, still obeys its owner. `OwnerConnection` is the client's side.
///
/// A client sends a command as a line of JSON. The reply is a line that describes it, a line of JSON and, for the command
/// that exports a photo, the photo's bytes.
struct OwnerServer {
  /// Each has a thread; other clients wait in the socket's queue.
  private static let maxClients = 4
  /// Clients are on this machine, and send their line at once. A server that stops waits as long for those that do not.
  private static let timeoutSeconds = 10

  private let socket: ControlSocket
  private let listener: OpenFile
  private let threads: [Thread]

  /// Nil if there can be no socket. The server then serves without it, since there are file systems that take none.
  init?(storage: String, console: OwnerConsole, logger: Logger) {
    socket = ControlSocket(storage: storage)
    do {
      try socket.removeStale()
      let listener = try socket.listen()
      self.listener = listener
      threads = try (0..<Self.maxClients).map { _ in
        try Thread(named: "owner") {
          while let client = Self.accept(listener) { try? Self.serve(client, console) }
        }
      }
    } catch {
      logger.warning(
        "the owner's commands cannot reach this server", metadata: ["socket": "\(socket.path)", "error": "\(error)"])
      return nil
    }
  }

  /// Finishes the commands under way. Blocks until then.
  func stop() {
    _ = try? FileSystem.remove(socket.path)
    shutdown(listener.descriptor, Int32(SHUT_RDWR))
    for thread in threads { thread.join() }
  }

  /// Blocks until there is a client; nil once the socket was shut.
  private static func accept(_ listener: OpenFile) -> OpenFile? {
    while true {
      let descriptor = Glibc.accept(listener.descriptor, nil, nil)
      if descriptor >= 0 { return OpenFile(owning: descriptor) }
      if errno == EINVAL { return nil }
      // The client is gone, or there is no free descriptor: there may be one in a moment.
      usleep(10_000)
    }
  }

  private static func serve(_ client: OpenFile, _ console: OwnerConsole) throws {
    client.setTimeout(seconds: timeoutSeconds)
    var reader = LineReader(client, path: "")
    guard let line = try reader.line(maxBytes: OwnerCommand.maxJSONBytes) else { return }
    let reply = try Blocking.run { await console.reply(to: line) }
    let lines = [try JSONWriter.encode(reply.head), reply.json].flatMap { $0 + [UInt8(ascii: "\n")] }
    try FileSystem.write(lines[...], to: client, path: "")
    try reply.forEachPiece { try FileSystem.write($0, to: client, path: "") }
  }
}

extension OwnerReply {
  /// Calls `body` with the bytes that follow, a piece at a time. Blocks.
  func forEachPiece(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    guard let content else { return }
    var offset: Int64 = 0
    while offset < head.byteCount {
      let (start, count) = (offset, Int(min(head.byteCount - offset, Int64(BodyStream.maxPieceBytes))))
      let bytes = try Blocking.run { try await content.piece(at: start, count: count) }
      try body(bytes[...])
      offset += Int64(bytes.count)
    }
  }
}

extension OpenFile {
  /// Ends reads and writes of a socket that wait for longer.
  func setTimeout(seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
  }
}

extension LineReader {
  /// Reads lines from a socket, and what follows them.
  init(_ file: OpenFile, path: String) {
    self.init { try FileSystem.read(file, maxBytes: 256 * 1024, path: path) }
  }
}
