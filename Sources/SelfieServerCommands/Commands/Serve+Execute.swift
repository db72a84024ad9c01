import ArgumentParser
import Glibc
import HTTPServer
import Logging
import Platform
import SQLite
import SelfieAPI
import SelfieTestControl
import SelfieOperations

extension Serve {
  func execute() throws {
    if testing.ephemeral && given.texts[SettingTable.all.storageDir.name] != nil {
      throw ConfigurationError(
        "--ephemeral keeps nothing, and --storage-dir says where to keep it. Give one of them.")
    }
    try serve(settings(isServing: true))
  }

  private func serve(_ settings: Settings) throws {
    let logWriter = LogWriter(settings.logFormat)
    let logger = StandardErrorLog.logger(settings, logWriter)
    // Before there are any threads, so that they inherit what is done about signals.
    let onHangup = Monitor<(@Sendable () -> Void)?>(nil)
    let signals = TerminationSignals {
      guard let reload = onHangup.withLock({ $0 }) else {
        return logger.notice("SIGHUP is ignored. SIGTERM stops the server; new settings need a restart")
      }
      logger.notice("SIGHUP reloads the certificate. SIGTERM stops the server; new settings need a restart")
      reload()
    }
    WriteSignals.ignore()
    try logWriter.start()
    // Before the error that ends the server, if one does.
    defer { logWriter.stop() }
    Memory.returnLargeAllocations()
    DescriptorLimit.raise()
    if testing.exitWithParent { try ParentProcess.endWithIt(pid: testing.parentPid) }
    let readyFile = testing.readyFile.map(ReadyFile.init)
    readyFile?.clear()
    let manager = ServiceManager(logger: logger)
    let control = try Control(settings, seedFolder: testing.seedFolder)
    defer { control?.folder.remove() }
    let storage =
      if let control, control.isEphemeral {
        try Storage(path: control.folder.makeFolder(), makesFolder: false)
      } else {
        try Storage(settings)
      }
    storage.log(to: logger)
    let cluster = try ClusterStorage.openWhenThere(settings, loops: Server.coreCount, signals, logger) {
      logWriter.stop()
      _exit(0)
    }
    cluster?.log(to: logger)
    // Takes the port. Nobody can connect before the server starts.
    let listener = try SocketActivation.listener() ?? Listener(host: settings.host, port: settings.port)
    let settings = settings.listening(on: listener.host)
    let credentialsFile = CredentialsFile(storage: storage.path)
    let known = try settings.credentials ?? credentialsFile.readStrong()
    let credentials = known ?? .random()
    let memory = MemoryBudget(limit: settings.memoryLimit)
    let (api, cors) = (settings.api(credentials), settings.corsOrigins)
    let backend =
      if let cluster {
        try Backend(cluster, storage: storage.path, settings: api, cors: cors, memory: memory, logger: logger)
      } else {
        try Backend(
          storage: storage.path, settings: api, cors: cors, control: control, memory: memory,
          logger: logger)
      }
    let backups = try BackupTask(
      settings.backups, storage: storage.path, version: version, logger: logger)
    if let backups { backend.showOnReadiness(backups.backups) }
    let certificate = try settings.tls.map { try CertificateReload($0, logger: logger) }
    let requests = settings.metrics.map { _ in RequestCounts() }
    let requestLog = settings.logsRequests ? RequestLog(writer: logWriter) : nil
    let backendResponder = backend.responder(observers: [requests?.count, requestLog?.write].compactMap(\.self))
    let running = RunningServer(
      startedAt: unixMilliseconds(), backups: backups?.backups, settings: settings.shown,
      sessions: OwnerSessions(address: settings.ownerURL(port: listener.port)))
    let console = settings.isEphemeral ? nil : OwnerConsole(backend.application, version: version, server: running)
    let page = console.map { OwnerPage($0, of: running) }
    let responder = page?.before(backendResponder) ?? backendResponder
    let server = try Server(
      listener: listener, tls: certificate?.context(), memory: memory,
      responder: settings.challengesOnMainPort.map { $0.before(responder) } ?? responder,
      service: cluster?.database.makeLoopService)
    let plainPort = try PlainPort(settings, tlsPort: listener.port, memory: memory, backend: responder)
    let metrics = try MetricsServer(
      settings.metrics,
      requests.map {
        MetricsSource(
          backend, memory: memory, server: server, requests: $0, backups: backups?.backups, log: logWriter)
      })
    // Last, when hardly anything else can fail: new credentials are shown only once.
    if known == nil { try credentialsFile.write(credentials) }
    try server.start()
    try plainPort?.start()
    try metrics?.start()
    let owner = console.flatMap { OwnerServer(storage: storage.path, console: $0, logger: logger) }
    let maintenance = Maintenance(of: backend, memory, console, logger: logger)
    try certificate?.watch(server)
    if let certificate { onHangup.withLock { $0 = certificate.reload } }
    log(settings, control, port: listener.port, to: logger)
    if let cluster = settings.cluster {
      logger.info("accounts are in PostgreSQL, and photos in an object store", metadata: ["photos": "\(cluster)"])
    }
    metrics?.log(to: logger)
    announce(settings, port: listener.port, credentials, areNew: known == nil, credentialsFile)
    if let control { announce(control) }
    defer { readyFile?.remove() }
    try readyFile?.write(settings, port: listener.port, credentials, control: control?.credentials)
    manager?.tell(.ready)
    let watchdog = try manager.flatMap { try Watchdog(of: server, $0) }

    signals.wait()
    logger.info("stopping: finishing the requests under way")
    manager?.tell(.stopping)
    watchdog?.stop()
    signals.exitOnNext {
      control?.folder.remove()
      logWriter.stop()
    }
    backups?.stop()
    backend.prepareToStop()
    certificate?.stop()
    plainPort?.stop()
    server.stop()
    metrics?.stop()
    owner?.stop()
    try maintenance.stop()
    backend.close()
    logger.info("stopped")
  }

  private func log(_ settings: Settings, _ control: Control?, port: Int, to logger: Logger) {
    logger.info(
      "listening", metadata: ["port": .stringConvertible(port), "get_token": "\(settings.getToken.rawValue)"])
    for warning in SettingSources.warnings(about: SettingSources.environmentWithoutSettings()) {
      logger.warning("\(warning)")
    }
    if settings.apiAuthPasswordPrevious != nil {
      logger.notice(
        """
        API_AUTH_PASSWORD_PREVIOUS is valid as well: anyone who has it can do what apps can. Remove it once every app \
        has the new password.
        """)
    }
    if settings.signup == .closed {
      logger.notice("SIGNUP is closed: apps can make no accounts")
    }
    if settings.getToken == .email {
      logger.notice(
        """
        get_token gives a token to anyone who has the API password, which is in every copy of the app, and knows \
        a user's email address, as the original did. GET_TOKEN=password asks for the user's password; GET_TOKEN=off \
        switches it off.
        """)
    }
    guard let control else { return }
    if !control.isEphemeral, let weakness = control.credentials.weakness {
      logger.warning(
        """
        CONTROL_PASSWORD \(weakness), so it can be guessed. Set a long random one, or neither name nor password, and \
        the server makes them.
        """)
    }
    if control.isEphemeral {
      logger.notice(
        "nothing is kept: the storage is never synced to a disk, and is removed when the server stops",
        metadata: ["folder": "\(control.folder.path)"])
    }
    logger.notice("the control interface is on: anyone who may use /__admin/ can change everything")
  }

  private func announce(
    _ settings: Settings, port: Int, _ credentials: Credentials, areNew: Bool, _ file: CredentialsFile
  ) {
    var text = "Listening on \(settings.url(host: settings.host, port: port))\n"
    if areNew || isatty(STDOUT_FILENO) != 0 {
      text += """

        Paste into the app's HTTPHelper.swift:

          static let API_AUTH_NAME = "\(credentials.name)"
          static let API_AUTH_PASSWORD = "\(credentials.password)"
          static let BASE_URL = "\(settings.clientURL(port: port))/api"


        """
      if settings.credentials == nil { text += "They are kept in \(file.path).\n" }
    }
    Terminal.write(text, to: STDOUT_FILENO)
  }

  /// Shows the credentials of the control interface. Those that the owner chose are shown to the owner only.
  private func announce(_ control: Control) {
    guard control.areNew || isatty(STDOUT_FILENO) != 0 else { return }
    let text = """
      The control interface, /__admin/, asks for:

        CONTROL_NAME=\(control.credentials.name)
        CONTROL_PASSWORD=\(control.credentials.password)


      """
    Terminal.write(text, to: STDOUT_FILENO)
  }
}
