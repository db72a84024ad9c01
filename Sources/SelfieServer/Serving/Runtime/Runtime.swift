import Cryptography
import Glibc
import HTTPMessages
import HTTPServer
import Logging
import Platform
import SQL
import SQLite
import SelfieAPI
import SelfieOperations
import SelfieTestControl

/// A server from its start to its end. `init` opens everything that can fail; clients cannot connect before `start`. It
/// only starts and ends its parts: `Backend` responds to requests, and `Storage` opens the folder.
struct Runtime {
  /// With the address and the port on which the server listens.
  let settings: Settings
  let port: Int
  let key: APIKey
  let control: Control?
  private let logger: Logger
  /// Has the socket of the owner's commands.
  private let socketFolder: String
  private let backend: Backend
  private let backups: ScheduledBackups?
  /// Nil unless the apps' credentials were lost.
  private let lostCredentials: LostCredentials?
  let certificate: CertificateReload?
  private let console: OwnerConsole
  private var ownerServer: OwnerServer?
  let server: Server
  private let plainPort: Server?
  private let controlPort: AuxiliaryServer?
  private let metrics: AuxiliaryServer?
  private let governor: MemoryGovernor
  private var maintenance: [Task<Void, Never>] = []

  /// - Parameter cluster: nil if everything is kept in the storage folder.
  init(
    _ settings: Settings, _ storage: Storage, _ cluster: ClusterStorage?, _ control: Control?, log: LogWriter,
    logger: Logger
  ) throws {
    (self.control, self.logger) = (control, logger)
    // The folder of a test server's main world has a name that nobody could find.
    socketFolder = settings.isEphemeral ? control?.folder.path ?? storage.path : storage.path
    let listener = try Listener.ofServiceManager() ?? Listener(host: settings.host, port: settings.port)
    let settings = settings.listening(on: listener.host, port: listener.port)
    (self.settings, port) = (settings, listener.port)
    key = try APIKey(settings, storage: storage.path)
    let memory = MemoryBudget(limit: settings.memoryLimit)
    governor = MemoryGovernor(of: memory)
    certificate = try settings.tls.map { try CertificateReload($0, host: settings.publicHost, logger: logger) }
    let sessions = OwnerSessions(
      address: settings.ownerURL(port: port, certificate: certificate?.first.certificate),
      opensInspector: settings.isEphemeral)
    let api = settings.api(key.credentials)
    var control = control
    control?.access.open { sessions.mayInspect($0, api) }
    backend = try Backend(
      cluster, storage: storage.path, settings: api, control: control, memory: memory, logger: logger)
    lostCredentials = try key.lost(backend, logger: logger)
    backups = try ScheduledBackups.started(settings, storage: storage.path, database: backend.file, logger: logger)
    if let backups {
      backend.application.addToReadiness("last_backup") { LastBackupView(backups.last) }
    }
    let requests = RequestCounts()
    let countRequest = settings.metrics == nil ? nil : requests.count
    let logRequest = settings.logsRequests ? log.write(request:) : nil
    let running = RunningServer(
      clientURL: settings.clientURL(port: port), backups: backups, settings: settings.shown, sessions: sessions,
      lostCredentials: lostCredentials, certificate: { [certificate] in certificate?.status })
    console = OwnerConsole(backend.application, server: running)
    let responder = backend.responder(observers: [countRequest, logRequest].compactMap(\.self))
      .behind(Self.middleware(settings, OwnerPage(console, of: running)))
    server = try Server(listener: listener, tls: certificate?.context(), memory: memory, responder: responder)
    plainPort = try Server.plainPort(settings, tlsPort: port, memory: memory, backend: responder)
    controlPort = try control.flatMap { _ in
      try Server.controlPort(settings, port: listener.port, memory: memory, backend: responder)
    }
    let hasLocalPort = controlPort != nil
    backend.worlds?.connectionFaults.setSwitch { [weak server, certificate] in
      try server?.begin($0, certificate)
    } cutsOff: { client in
      settings.controlAddress == nil && !(hasLocalPort && client.isLocal)
    }
    metrics = try settings.metrics.map { [backend, server, backups] address in
      let source = MetricsSource(
        backend: backend, server: server, requestCounts: requests, backups: backups, log: log)
      return try Server.metrics(at: address, source)
    }
  }

  /// The first one gets a request first.
  private static func middleware(_ settings: Settings, _ ownerPage: OwnerPage) -> [any Middleware] {
    // With TLS, the challenges are on a port of their own.
    let challenges = settings.tls == nil ? settings.acmeWebroot.map(ACMEChallenges.init) : nil
    let all: [(any Middleware)?] = [challenges, ownerPage, settings.corsOrigins.map { CORS($0) }]
    return all.compactMap(\.self)
  }

  mutating func start() throws {
    if let warning = lostCredentials?.warning() { logger.warning("\(warning.text)") }
    // Last, when hardly anything else can fail: new credentials are shown only once.
    try key.save(replacesLost: lostCredentials != nil)
    try governor.start()
    try server.start()
    try plainPort?.start()
    try controlPort?.server.start()
    try metrics?.server.start()
    ownerServer = OwnerServer(storage: socketFolder, console: console, logger: logger)
    maintenance = backend.startMaintenance(logger: logger)
    try certificate?.watch(server)
    if let metrics {
      logger.info("metrics can be read by anyone who reaches this address", metadata: ["address": "\(metrics.url)"])
    }
  }

  /// The address of the port that has the control interface alone; nil without such a port.
  var controlURL: String? { controlPort?.url }

  /// Reads the certificate again; nil without one.
  var reload: (@Sendable () -> Void)? { certificate?.reload }

  /// Begins with what a file has, on a server for tests.
  func seed(from path: String) throws { try backend.seed(from: path) }

  /// Finishes the requests under way, and closes everything. Blocks until then.
  ///
  /// - Parameter export: the file that gets what is stored, on a server for tests; nil for none.
  func stop(exportingTo export: String? = nil) throws {
    backups?.stop()
    // What tests have set up to delay responses must not delay the end.
    backend.worlds?.endDelays()
    plainPort?.stop()
    server.stop()
    controlPort?.server.stop()
    metrics?.server.stop()
    governor.stop()
    ownerServer?.stop()
    console.stop()
    // A read that runs while the database closes keeps its log from being checkpointed.
    for task in maintenance { task.cancel() }
    try Blocking.run { [maintenance] in for task in maintenance { await task.value } }
    defer { backend.close() }
    if let export { try backend.export(to: export) }
  }
}

extension APIKey {
  /// Nil unless those of the apps were lost. Notices an app that has the new ones.
  fileprivate func lost(_ backend: Backend, logger: Logger) throws -> LostCredentials? {
    guard let file else { return nil }
    let replacesLost = try isNew && backend.file?.read { try $0.exists(StorageIdentityStore.anyAccount) } == true
    guard let lost = LostCredentials(of: file, lostAt: replacesLost ? unixMilliseconds() : nil) else { return nil }
    backend.application.whenAPIPasswordIsSent {
      do { try lost.end() } catch { logger.warning("\(error)") }
    }
    return lost
  }
}
