import Glibc
import HTTPMessages
import Logging
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// The storage of a server that does not run. The command has its lock, and carries out itself what the server would.
/// The servers of a cluster may run meanwhile.
struct StoppedServer: OwnerEndpoint {
  private let application: Application
  private let interface: OwnerInterface
  private let pools = WorkerPools(cores: 1)
  private let cluster: ClusterStorage?
  /// For as long as the command runs; nil where it has the server's own.
  private let temporaryFolder: String?

  /// - Throws: `StorageInUse` if another process has the lock.
  init(_ settings: Settings, logger: Logger) throws {
    let storage = try Storage.existing(settings)
    let credentials = try settings.credentials ?? CredentialsFile(storage: storage.path).read() ?? .random()
    let database: Database
    (application, database) = try Application.open(
      folder: storage.path, settings: settings.api(credentials), pools: pools,
      clock: unixMilliseconds, logger: logger)
    database.upgrade.log(to: logger)
    interface = OwnerInterface(application, version: version, startedAt: nil)
    (cluster, temporaryFolder) = (nil, nil)
  }

  init(of cluster: ClusterStorage, _ settings: Settings, logger: Logger) throws {
    let folder = try FileSystem.makeTemporaryFolder(prefix: "/tmp/selfie-server-")
    application = try Application.open(
      shared: cluster.database, objects: cluster.objects, sweepAfter: cluster.sweepAfter, folder: folder,
      settings: settings.api(settings.credentials ?? .random()), pools: pools, clock: unixMilliseconds, logger: logger)
    interface = OwnerInterface(application, version: version, startedAt: nil)
    self.cluster = cluster
    temporaryFolder = folder
  }

  func send(_ request: Request) throws -> OwnerResponse {
    let response = try Blocking.run { [interface] in await interface.respond(request) }
    return OwnerResponse(
      status: response.status.code, total: response.fields["X-Total-Count"].flatMap { Int($0) }
    ) { body in
      switch response.body {
      case .bytes(let bytes): try body(bytes[...])
      case .file(let file, let offset, let length):
        var position = offset
        while position < offset + length {
          let count = min(256 * 1024, Int(clamping: offset + length - position))
          let bytes = try FileSystem.read(file, at: off_t(position), count, path: "")
          guard !bytes.isEmpty else { throw FileError("read", "", number: EIO) }
          try body(bytes[...])
          position += Int64(bytes.count)
        }
      case .stream(let stream, let offset, let length):
        var position = offset
        while position < offset + length {
          let (start, left) = (position, offset + length - position)
          let bytes = try Blocking.run {
            try await stream.piece(at: start, count: Int(min(left, Int64(BodyStream.maxPieceBytes))))
          }
          try body(bytes[...])
          position += Int64(bytes.count)
        }
      case .pages(let pages):
        let bytes = try Blocking.run { try await pages.collect() }
        try body(bytes[...])
      }
    }
  }

  /// Closes the database. The lock stays until the process ends.
  func close() {
    pools.shutDown()
    application.close()
    cluster?.close()
    if let temporaryFolder { try? FileSystem.removeTree(temporaryFolder) }
  }
}
