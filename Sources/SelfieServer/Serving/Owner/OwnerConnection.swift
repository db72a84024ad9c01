import Glibc
import HTTPMessages
import Logging
import Platform
import SelfieAPI
import SelfieOperations
import SelfieTestControl

/// Runs the owner's commands: the running server does or, if none runs, this process does on the server's storage.
/// `OwnerServer` is the server's side.
final class OwnerConnection {
  /// A server that starts or stops has the lock, and no socket for a moment; another command has both for not much
  /// longer.
  private static let timeoutMilliseconds: Int64 = 30_000
  private static let pauseMicroseconds: UInt32 = 20_000
  /// Longer than the server takes for any command but a backup, for which it may take hours.
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
      if let stopped {
        let backups = try ScheduledBackups.of(settings, storage: settings.storageDir, database: stopped.file)
        return try run(line, by: OwnerConsole(stopped.application, backups: backups), content)
      }
      // In a cluster too: only a server has a page for the owner.
      if let server = try socket.connect() ?? testServer(for: command) {
        var timeout = Self.replyTimeoutSeconds
        if case .backup = command { timeout = 0 }
        server.setTimeout(seconds: timeout)
        return try run(line, on: server, content)
      }
      guard settings.cluster != nil || FileSystem.isFolder(settings.storageDir) else {
        throw OperationError.noStorage(in: settings.storageDir)
      }
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

  /// The test server that this user runs on this machine. A container that was started with `--ephemeral` has no other one,
  /// and its storage is empty.
  ///
  /// - Returns: nil if there is none, or if there is a storage, or if the command needs no running server: what it changes
  ///   should then be another storage, which is not here.
  private func testServer(for command: OwnerCommand) throws -> OpenFile? {
    let layout = StorageLayout(folder: settings.storageDir)
    guard try settings.isEphemeral || command.needsServer && settings.cluster == nil && layout.storageState == .new
    else { return nil }
    let servers = try EphemeralFolder.running.compactMap { folder in
      try ControlSocket(storage: folder).connect().map { (folder: folder, socket: $0) }
    }
    guard servers.count < 2 else {
      throw OperationError(
        "There are \(servers.count) test servers on this machine. Name one: --storage-dir \(servers[0].folder)")
    }
    return servers.first?.socket
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
  /// The JSON of a refusal.
  private struct Refusal: Decodable {
    let message: String
  }

  fileprivate func orRefusal() throws -> OwnerReply {
    guard head.status >= 300 else { return self }
    let message = (try? value(Refusal.self))?.message ?? "The server responded with \(head.status)."
    // The faults of a new account are a list, as apps show it: each ends in a comma.
    throw OperationError(message.hasSuffix(",") ? message.dropLast() + "." : message)
  }
}
