import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SelfieAPI
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
    let attention = reply.object.elements("attention")
    options.show(reply) {
      let status = reply.object
      let uptime = status.number("uptime").map { "for \(HumanValue.duration(seconds: $0))" }
      let counts = [("Users", "users"), ("Disabled users", "disabled_users"), ("Photos", "photos")]
      let sizes = [("Bytes of photos", "bytes"), ("Database", "database_bytes"), ("Free disk space", "free_bytes")]
      var rows = [("selfie-server", status.shown("version")), ("Running", uptime ?? "no")]
      rows += counts.map { ($0, status.number($1).map { "\($0)" } ?? "-") }
      rows += sizes.map { ($0, status.number($1).map(HumanValue.bytes) ?? "-") }
      rows.append(("Last backup", status.text("last_backup").map { HumanValue.time($0) } ?? "none"))
      // A running server says so below, in more words.
      if uptime == nil, let error = status.text("backup_error") { rows.append(("Backup failed", error)) }
      for other in status.elements("other_backups") {
        let of = other.text("line").map { "of line \($0): from before a restore, or of a copy that runs elsewhere" }
        let text = "\(other.count("count")), the newest \(other.shown("newest")), \(other.bytes("bytes")), "
        rows.append(("Other backups", text + (of ?? "tar archives of earlier versions, which are never removed")))
      }
      let refused = status.number("refused_sign_ins").map { "\($0) since the server started" }
      rows.append(("Refused sign-ins", refused ?? "-"))
      for item in attention {
        let time = item.text("since").map { " (since \(HumanValue.time($0)) UTC)" }
        let last = item.text("time").map { " (last at \(HumanValue.time($0)) UTC)" }
        rows.append((OwnerOptions.warning, item.shown("message") + (time ?? last ?? "")))
        if let command = item.text("command") { rows.append(("  What to run", command)) }
      }
      return rows
    }
    if !attention.isEmpty { throw ExitCode.failure }
  }
}
