import Logging
import Platform
import SQL
import SQLite

/// The work on stored data that no request starts. Maintenance.swift in SelfieServer decides when it is done.
package struct Upkeep: Sendable {
  let database: ApplicationDatabase
  let tokens: TokenStore
  let microblogSessions: MicroblogSessionStore
  let photos: PhotoLibrary
  /// Unix milliseconds.
  let clock: @Sendable () -> Int64
  let logger: Logger
  /// The time of the last call of ``forgetExpired()``, in Unix milliseconds.
  private let lastForgotten = Monitor<Int64?>(nil)

  init(
    database: ApplicationDatabase, tokens: TokenStore, microblogSessions: MicroblogSessionStore, photos: PhotoLibrary,
    clock: @escaping @Sendable () -> Int64, logger: Logger
  ) {
    self.database = database
    self.tokens = tokens
    self.microblogSessions = microblogSessions
    self.photos = photos
    self.clock = clock
    self.logger = logger
  }

  /// Computes the digests of new photos unless others are being stored, which need the processors and the disk, and renews
  /// the disk's reserve once there is room. To be called every few seconds.
  package func noteDigests() async throws {
    try await photos.renewReserve()
    try await photos.bytes.noteDigests(ofAll: false) { !photos.lock.isShared }
  }

  /// Deletes tokens that expired long ago and sessions that were not used for long. To be called every hour.
  ///
  /// A clock may be ahead for some seconds, or until a machine has reached a time server. So only what the clock called old
  /// at the call before is deleted, and nothing by the first call.
  package func forgetExpired() async throws {
    let now = clock()
    let last = lastForgotten.withLock { last in
      defer { last = now }
      return last
    }
    guard let last else { return }
    while try await tokens.prune(now: min(now, last)) > 0 {}
    while try await microblogSessions.prune(now: min(now, last)) > 0 {}
  }

  /// Deletes the bytes of deleted photos and what is left of uploads, and tries again to compute digests that are still
  /// missing. To be called every few minutes.
  package func prune() async throws {
    try await database.shared?.prune()
    try await photos.purgeDeleted()
    try await photos.bytes.noteDigests(ofAll: true) { true }
    if let failure = database.file?.checkpointFailure {
      logger.error(
        """
        the database's log cannot be folded into its file, and grows; nothing is lost. Look at the disk, and restart \
        the server if this is said again
        """, metadata: ["error": "\(failure)"])
    }
  }
}
