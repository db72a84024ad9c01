import Glibc
import HTTPMessages
import Platform
import SQLite
import SelfieAPI

// The owner's backups, and the commands `constants` and `check`. `StorageBackup` and `StorageCheck` do the work, and
// `ScheduledBackups` makes the backups in BACKUP_DIR.
extension OwnerConsole {
  /// Makes a backup in BACKUP_DIR, and returns once it is there. The reply is a `BackupReply`.
  func makeBackup(newLine: Bool, newFolder: Bool) async throws -> OwnerReply {
    guard let backups else {
      throw APIError(
        .conflict,
        """
        BACKUP_DIR is not set. Set it to a folder on another disk, or name the place: selfie-server backup --to FOLDER, or \
        selfie-server backup FILE.tar.
        """)
    }
    var changes: BackupPlace.Changes = newLine ? [.newLine] : []
    if newFolder { changes.insert(.newFolder) }
    let last: LastBackup
    do {
      last = try await (server?.slowWork ?? application.lists).run { [changes] in
        try backups.make(isByHand: true, changes)
      }
    } catch let error as BackupInProgress {
      return try OwnerReply(of: BackupReply.inProgress(folder: error.folder))
    }
    guard last.failedAt == nil, let path = last.file, let description = last.description else {
      throw APIError(.conflict, last.error ?? "The backup failed.")
    }
    return try OwnerReply(
      of: BackupReply.made(
        MadeBackup(path: path, error: last.error, backup: description, warnings: backups.warnings)))
  }

  /// Notes when the storage was last backed up.
  func noteBackup(at time: Int64) async throws -> OwnerReply {
    guard let file = application.database.file else { throw APIError.notFound }
    try await file.write(changing: .none) { try $0.noteBackup(at: time) }
    return try OwnerReply(of: NotedBackup(time: Timestamp.text(unixMilliseconds: time)))
  }

  /// The tar archive that is made while it is sent, so that it needs no room here. An error before its first byte is a
  /// response of its own. A later one ends the connection, so that nobody takes a part of a backup for the whole.
  func backup() async throws -> Response {
    let (folder, server, now) = (try requireFolder(), try requireServer(), application.clock())
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw SystemError("socketpair")
    }
    let (output, input) = (OpenFile(owning: ends[1]), OpenFile(owning: ends[0]))
    let writer = Task {
      // The reader waits for this. If it goes away, writing fails.
      defer { shutdown(output.descriptor, Int32(SHUT_WR)) }
      do {
        let isComplete = try await server.backupWork.run {
          try StorageBackup(storage: folder, now: now).writeTar(to: output, name: Self.receiver)
        }.isComplete
        if isComplete { _ = try await noteBackup(at: now) }
      } catch is QueueFull {
        throw OperationError("Another backup of \(folder) is in progress. Wait for it to finish.")
      }
    }
    let read = { @Sendable (count: Int) in
      let bytes = try await withTaskCancellationHandler {
        try await server.slowWork.run { try FileSystem.read(input, maxBytes: count, path: Self.receiver) }
      } onCancel: {
        // Ends reading, and the backup.
        shutdown(input.descriptor, Int32(SHUT_RDWR))
      }
      if bytes.isEmpty { try await writer.value }
      return bytes
    }
    let first: [UInt8]
    do {
      // Fewer than any piece of a body.
      first = try await read(512)
    } catch  where !(error is QueueFull) {
      throw APIError(.conflict, "\(error)")
    }
    application.securityLog.log(ownersCommand: "owner's page: backup", [:], numbers: [:])
    var fields = ResponseFields(lines: "Content-Type: application/x-tar\r\nCache-Control: no-store\r\n")
    fields.append("Content-Disposition", "attachment; filename=\"selfie-\(Moment.timeName(now)).tar\"")
    return Response(
      status: .ok, fields: fields,
      body: .pages(BodyStream { offset, count in offset == 0 ? first : try await read(count) }))
  }

  private static let receiver = "the owner's page"

  /// The values that the app has as constants. The page knows its own address if no other is set.
  func constants() throws -> OwnerReply {
    let settings = application.settings
    application.securityLog.log(ownersCommand: "constants", [:], numbers: [:])
    return try OwnerReply(
      of: AppConstants(
        authName: settings.authName, authPassword: settings.authPassword, publicURL: settings.publicURL,
        clientURL: server?.clientURL))
  }

  private static let maxFindings = 100

  /// The findings of a check that does not read the photos.
  func check() async throws -> OwnerReply {
    let findings = Monitor<[FindingView]>([])
    var check = StorageCheck(storage: try requireFolder(), now: application.clock(), isServed: { true }) { event in
      guard let finding = FindingView(event) else { return }
      findings.withLock { if $0.count < Self.maxFindings { $0.append(finding) } }
    }
    check.readsPhotos = false
    check.maxPhotoBytes = application.settings.maxPhotoBytes
    let counts = await withTaskExecutorPreference(try requireServer().slowWork) { [check] in await check.run() }
    return try OwnerReply(of: findings.withLock { $0 }, total: Int64(counts.findings + counts.failures))
  }

  /// The folder of a server that keeps everything in it.
  func requireFolder() throws -> String {
    guard let layout = application.photos.bytes.layout else {
      throw APIError(
        .conflict,
        "This server is part of a cluster. Run selfie-server doctor; the tools of PostgreSQL and the object store back it up."
      )
    }
    return layout.folder
  }
}
