import Platform

/// The state of a running server that its owner's commands show or change. It only gathers the state: `OwnerConsole`
/// runs the commands, and `OwnerSessions` has the rules of sessions.
package struct RunningServer: Sendable {
  /// Unix milliseconds.
  let startedAt = unixMilliseconds()
  /// Monotonic milliseconds.
  let uptimeStart = monotonicMilliseconds()
  /// Where clients reach the server.
  let clientURL: String
  /// Nil if the server makes none.
  let backups: ScheduledBackups?
  let settings: [ShownSetting]
  let sessions: OwnerSessions
  /// Nil unless the apps' credentials were lost.
  let lostCredentials: LostCredentials?
  /// Returns nil for a server without a certificate.
  let certificate: @Sendable () -> CertificateStatus?
  let refusals = RefusalLog()
  /// When the disk was first seen to be nearly full; nil if it was not at the last look.
  let diskSeenFull = Monitor<String?>(nil)
  /// For work that takes long, and lets everything else go first: the reader of a backup, and a check.
  let slowWork = WorkerPool(name: "owner's work", niceness: 19, threads: 2, waiting: 100)
  /// Writes the page's backup, one at a time. Its reader waits for it, so it must not wait for a reader's thread.
  let backupWork = WorkerPool(name: "owner's backup", niceness: 19, threads: 1, waiting: 0)

  package init(
    clientURL: String, backups: ScheduledBackups?, settings: [ShownSetting], sessions: OwnerSessions,
    lostCredentials: LostCredentials? = nil, certificate: @escaping @Sendable () -> CertificateStatus? = { nil }
  ) {
    self.clientURL = clientURL
    self.backups = backups
    self.settings = settings
    self.sessions = sessions
    self.lostCredentials = lostCredentials
    self.certificate = certificate
  }
}
