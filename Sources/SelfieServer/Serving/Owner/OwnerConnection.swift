import Glibc
import HTTPMessages
import Logging
import Platform
import SelfieAPI
import SelfieOperations

/// Runs the owner's commands: the running server does or, if none runs, this process does on the server's storage.
/// `OwnerServer` is the server's side.
final class OwnerConnection {
  /// A server that starts or stops has the lock, and no socket for a moment; another command has both for not much
  /// longer.
  private static let timeoutMilliseconds: Int64 = 30_000
  private static let pauseMicroseconds: UInt32 = 20_000
  /// Longer than the server takes for any command.
  private static let replyTimeoutSeconds = 150

  private let settings: Settings
  private let socket: ControlSocket
  private let logger: Logger
  /// The storage of a server that does not run, from the first command that finds none. This process has its lock, until
  /// it ends, and does itself what the server would. The servers of a cluster may run meanwhile.
  private var stopped: Backend?
  private var temporaryFolder: String?
  /// Whether no server has run the last command.
  var isStopped: Bool { stopped != nil }

  init(_ settings: Settings) throws {
    try settings.requireAccess()
    guard settings.cluster != nil || FileSystem.isFolder(settings.storageDir) else {
      throw OperationError.noStorage(in: settings.storageDir)
    }
    self.settings = settings
    socket = ControlSocket(storage: settings.storageDir)
    logger = StandardErrorLog.logger(settings)
  }

  /// Runs a command.
  ///
  /// - Parameter content: called with the bytes that follow the reply, a piece at a time.
  /// - Throws: `OperationError` unless the reply is a success.
  func run(
    _ command: OwnerCommand, content: (ArraySlice<UInt8>) throws -> Void = { _ in }
  ) throws -> OwnerReply {
    let line = try JSONWriter.encode(command)
    guard line.count <= OwnerCommand.maxJSONBytes else { throw OperationError("The command is too long.") }
    let deadline = monotonicMilliseconds() + Self.timeoutMilliseconds
    while true {
      if let stopped { return try run(line, by: OwnerConsole(stopped.application), content) }
      // In a cluster too: only a server has a page for the owner.
      if let server = try socket.connect() { return try run(line, on: server, content) }
      do {
        stopped = try openStopped()
      } catch let error as StorageInUse {
        // A process has the lock but no socket: a server that could make none, an import, a repair or a restore.
        guard monotonicMilliseconds() < deadline else {
          throw OperationError(
            "\(error.path) is in use by another process (\(error.owner)). If it is a server, its log says why it does not answer."
          )
        }
        usleep(Self.pauseMicroseconds)
      }
    }
  }

  /// What an owner's command closes to others is no news for its output.
  private static func storage(_ settings: Settings) throws -> Storage {
    try Storage.stopped(settings, logger: Logger(label: "none") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Opens the storage. One that may only be read is shown from a copy of its database.
  ///
  /// - Throws: `StorageInUse` if another process has the lock.
  private func openStopped() throws -> Backend {
    let cluster = try ClusterStorage.connect(settings)
    let layout = StorageLayout(folder: settings.storageDir)
    let isReadOnly = cluster == nil && access(layout.database, W_OK) != 0 && errno == EROFS
    if cluster != nil || isReadOnly {
      temporaryFolder = try FileSystem.makeTemporaryFolder(prefix: "/tmp/selfie-server-")
    }
    let folder = if let temporaryFolder { temporaryFolder } else { try Self.storage(settings).path }
    if isReadOnly { try Storage.copyDatabase(of: layout, to: StorageLayout(folder: folder)) }
    let credentials =
      try settings.credentials ?? APIKey.stored(in: isReadOnly ? layout.folder : folder) ?? .random()
    let backend = try Backend(cluster, storage: folder, settings: settings.api(credentials), logger: logger)
    if isReadOnly { try backend.becomeReadOnly(photos: layout) }
    return backend
  }

  deinit {
    stopped?.close()
    if let temporaryFolder { try? FileSystem.removeTree(temporaryFolder) }
  }

  private func run(
    _ line: [UInt8], by console: OwnerConsole, _ content: (ArraySlice<UInt8>) throws -> Void
  ) throws -> OwnerReply {
    let reply = try Blocking.run { await console.reply(to: line) }.orRefusal()
    do { try reply.forEachPiece(content) } catch BodyStream.Failure.unreadable(let error) {
      throw OperationError("The photo cannot be read: \(error). Check the disk.")
    }
    return reply
  }

  /// Sends a command as a line, and returns the reply: a line that describes it, and a line of JSON.
  private func run(
    _ line: [UInt8], on server: OpenFile, _ content: (ArraySlice<UInt8>) throws -> Void
  ) throws -> OwnerReply {
    server.setTimeout(seconds: Self.replyTimeoutSeconds)
    try FileSystem.write((line + [UInt8(ascii: "\n")])[...], to: server, path: socket.path)
    var reader = LineReader(server, path: socket.path)
    // The server is trusted, and a list is as long as the owner wants it.
    guard let head = try reader.line(maxBytes: .max), let json = try reader.line(maxBytes: .max) else { throw closed() }
    var reply = OwnerReply(json)
    reply.head = try JSONReader.decode(from: head)
    reply = try reply.orRefusal()
    var rest = reply.head.byteCount
    while rest > 0 {
      let chunk = try reader.chunk()
      guard !chunk.isEmpty else { throw closed() }
      try content(chunk[...])
      rest -= Int64(chunk.count)
    }
    return reply
  }

  /// The server has ended while it ran a command.
  private func closed() -> OperationError {
    OperationError(
      "The server closed \(socket.path) before it answered. Run the command again to see whether it took effect.")
  }
}

extension OwnerReply {
  /// The object that the JSON has.
  var object: ParameterValue { (try? JSONReader.read(json)) ?? .null }

  fileprivate func orRefusal() throws -> OwnerReply {
    guard head.status >= 300 else { return self }
    let message = object.text("message") ?? "The server responded with \(head.status)."
    // The faults of a new account are a list, as apps show it: each ends in a comma.
    throw OperationError(message.hasSuffix(",") ? message.dropLast() + "." : message)
  }
}

extension ParameterValue {
  /// A member of an object; nil for null, and for one that an older or a newer server does not send.
  func text(_ name: String) -> String? { if case .string(let text)? = self[member: name] { text } else { nil } }

  func number(_ name: String) -> Int64? { if case .number(let text)? = self[member: name] { Int64(text) } else { nil } }

  /// The elements of a list.
  func elements(_ name: String) -> [ParameterValue] {
    if case .array(let elements)? = self[member: name] { elements } else { [] }
  }
}

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
