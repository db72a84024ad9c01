import Logging
import Platform
import SelfieAPI
import SelfieOperations

/// The storage of a server that does not run. The command has its lock, and does itself what the server would. The servers
/// of a cluster may run meanwhile.
struct StoppedServer {
  let console: OwnerConsole
  private let application: Application
  private let pools = WorkerPools(cores: 1)
  private let cluster: ClusterStorage?
  /// For as long as the command runs; nil where it has the server's own.
  private let temporaryFolder: String?

  /// - Throws: `StorageInUse` if another process has the lock.
  init(_ settings: Settings, logger: Logger) throws {
    cluster = try ClusterStorage.connect(settings)
    do {
      if let cluster {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "/tmp/selfie-server-")
        temporaryFolder = folder
        application = try Application.open(
          shared: cluster.database, objects: cluster.objects, sweepAfter: cluster.sweepAfter, folder: folder,
          settings: settings.api(settings.credentials ?? .random()), pools: pools, clock: unixMilliseconds,
          logger: logger)
      } else {
        let storage = try Storage.existing(settings)
        temporaryFolder = nil
        let credentials = try settings.credentials ?? CredentialsFile(storage: storage.path).read() ?? .random()
        let (application, database) = try Application.open(
          folder: storage.path, settings: settings.api(credentials), pools: pools, clock: unixMilliseconds,
          logger: logger)
        database.upgrade.log(to: logger)
        self.application = application
      }
    } catch {
      cluster?.close()
      throw error
    }
    console = OwnerConsole(application, version: version)
  }

  /// Closes the database. The lock stays until the process ends.
  func close() {
    pools.shutDown()
    application.close()
    cluster?.close()
    if let temporaryFolder { try? FileSystem.removeTree(temporaryFolder) }
  }
}
