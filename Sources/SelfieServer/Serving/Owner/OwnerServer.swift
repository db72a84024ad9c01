import Glibc
import HTTPMessages
import Logging
import Platform
import SelfieAPI
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

/// `control.sock` in the storage folder, through which the owner's commands reach a running server. `OwnerServer`
/// listens on the socket, and `OwnerConnection` connects to it.
struct ControlSocket {
  let path: String

  init(storage: String) {
    path = StorageLayout(folder: storage).controlSocket
  }

  /// Removes the socket of a server that was killed. The caller must hold the storage's lock, so that no server uses it.
  ///
  /// - Throws: an error if there is something that no server of this user has made.
  func removeStale() throws {
    guard let owner = try owner() else { return }
    guard owner == geteuid() else { throw foreign(owner) }
    try FileSystem.remove(path)
  }

  /// Begins to listen, for programs of this process's user on this machine only. There must be nothing at the path.
  func listen() throws -> OpenFile {
    let address = try UnixSocketAddress(path: path)
    let listener = try Self.socket()
    // The file gets the permissions of the socket, less the umask: there is no instant at which others may connect.
    guard fchmod(listener.descriptor, 0o600) == 0, address.withPointer({ bind(listener.descriptor, $0, $1) }) == 0,
      Glibc.listen(listener.descriptor, SOMAXCONN) == 0
    else { throw SystemError("bind") }
    return listener
  }

  /// Connects to this user's server; nil if none listens. Root may also use that of the folder's owner.
  func connect() throws -> OpenFile? {
    guard let owner = try owner() else { return nil }
    var folder = stat()
    let isFolders = stat(FileSystem.parent(of: path), &folder) == 0 && folder.st_uid == owner
    guard owner == geteuid() || geteuid() == 0 && isFolders else { throw foreign(owner) }
    let (address, connection) = (try UnixSocketAddress(path: path), try Self.socket())
    guard address.withPointer({ Glibc.connect(connection.descriptor, $0, $1) }) == 0 else {
      if [ENOENT, ECONNREFUSED].contains(errno) { return nil }
      throw FileError("connect", path)
    }
    return connection
  }

  private static func socket() throws -> OpenFile {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    return OpenFile(owning: descriptor)
  }

  /// The user id of the socket's owner; nil if there is none.
  private func owner() throws -> uid_t? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw FileError("lstat", path) }
      return nil
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ConfigurationError("\(path) is not a socket. Move it away: the server needs that name.")
    }
    return status.st_uid
  }

  private func foreign(_ owner: uid_t) -> ConfigurationError {
    ConfigurationError("\(path) \(belonging(to: owner)) Or remove the file while no server runs.")
  }
}
