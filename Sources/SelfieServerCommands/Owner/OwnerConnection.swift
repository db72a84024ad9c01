import Glibc
import HTTPMessages
import Logging
import Platform
import SelfieOperations

/// Where an owner's command is carried out: by the running server or, if none runs, by the command itself.
enum OwnerConnection {
  /// A server that starts or stops has the lock, and no socket for a moment; another command has both for not much
  /// longer.
  private static let timeoutMilliseconds: Int64 = 30_000
  private static let pauseMicroseconds: UInt32 = 20_000

  /// Runs `body` with the place where commands are carried out.
  static func run(_ settings: Settings, _ body: (any OwnerEndpoint) throws -> Void) throws {
    try settings.requireAccess()
    if settings.cluster != nil { return try runInCluster(settings, body) }
    guard FileSystem.isFolder(settings.storageDir) else {
      throw ConfigurationError("STORAGE_DIR is \(settings.storageDir), and there is no such folder.")
    }
    let logger = StandardErrorLog.logger(settings)
    let deadline = monotonicMilliseconds() + timeoutMilliseconds
    while true {
      if let server = try RunningServer(ControlSocket(storage: settings.storageDir)) { return try body(server) }
      do {
        let server = try StoppedServer(settings, logger: logger)
        defer { server.close() }
        return try body(server)
      } catch let error as StorageInUse {
        guard monotonicMilliseconds() < deadline else { throw Unreachable(cause: error) }
      }
      usleep(pauseMicroseconds)
    }
  }

  /// A server of this machine does it if there is one, since only it has a page for the owner. What the servers share can
  /// be read and changed by the command itself, whether they run or not.
  private static func runInCluster(_ settings: Settings, _ body: (any OwnerEndpoint) throws -> Void) throws {
    if FileSystem.isFolder(settings.storageDir),
      let server = try RunningServer(ControlSocket(storage: settings.storageDir))
    {
      return try body(server)
    }
    guard let cluster = try ClusterStorage.connect(settings) else { return }
    let logger = StandardErrorLog.logger(settings)
    let server: StoppedServer
    do {
      server = try StoppedServer(of: cluster, settings, logger: logger)
    } catch {
      cluster.close()
      throw error
    }
    defer { server.close() }
    try body(server)
  }

  /// A process has the lock but no socket: a server that could make none, an import, a repair or a restore.
  private struct Unreachable: Error, CustomStringConvertible {
    let cause: StorageInUse
    var description: String {
      "\(cause.path) is in use (\(cause.owner)), but nothing there takes the owner's commands. If it is a server, its log "
        + "says why."
    }
  }
}
