import ArgumentParser
import Platform
import SelfieOperations

/// `selfie-server status`: what it prints. `OwnerConsole` in SelfieOperations does the work.
struct StatusCommand: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "status", "Show how much is stored, how the server is doing, and what needs attention.",
    discussion: "The exit status is 0 if all is well, and 1 if something needs attention.",
    examples: "status", "status --json --storage-dir /var/lib/selfie-server")

  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let reply = try server.run(.status)
    let status: StatusView = try reply.value()
    options.show(reply) { Self.rows(status) }
    if !status.attention.isEmpty { throw ExitCode.failure }
  }

  private static func rows(_ status: StatusView) -> [Detail] {
    let uptime = status.uptime.map { "for \(HumanValue.duration(seconds: $0))" }
    var rows = [
      Detail("selfie-server", status.version), Detail("Running", uptime ?? "no"),
      Detail("Users", number: status.users), Detail("Disabled users", number: status.disabledUsers),
      Detail("Photos", number: status.photos), Detail("Bytes of photos", bytes: status.bytes),
      Detail("Database", bytes: status.databaseBytes), Detail("Free disk space", bytes: status.freeBytes),
      Detail("Last backup", status.lastBackup.map { HumanValue.time($0) } ?? "none"),
    ]
    // A running server says so below, in more words.
    if !status.isRunning, let error = status.backupError { rows.append(Detail("Backup failed", error)) }
    rows += status.otherBackups.map { Detail("Other backups", text(of: $0)) }
    rows.append(Detail("Refused sign-ins", status.refusedSignIns.map { "\($0) since the server started" } ?? "-"))
    for item in status.attention {
      let time = item.since.map { " (since \(HumanValue.time($0)) UTC)" }
      let last = item.time.map { " (last at \(HumanValue.time($0)) UTC)" }
      rows.append(Detail(OwnerOptions.warning, item.message + (time ?? last ?? "")))
      if let command = item.command { rows.append(Detail("  What to run", command)) }
    }
    return rows
  }

  private static func text(of others: BackupPlace.Others) -> String {
    let origin =
      others.line.map { "of line \($0): from before a restore, or of a copy that runs elsewhere" }
      ?? "tar archives of earlier versions, which are never removed"
    return "\(others.count), the newest \(others.newest), \(HumanValue.bytes(others.bytes)), \(origin)"
  }
}

extension Detail {
  /// - Parameter number: nil if it is not known.
  fileprivate init(_ name: String, number: Int64?) { self.init(name, number.map { "\($0)" } ?? "-") }

  /// - Parameter bytes: nil if it is not known.
  fileprivate init(_ name: String, bytes: Int64?) { self.init(name, bytes.map(HumanValue.bytes) ?? "-") }
}
