import ArgumentParser
import Glibc

/// `selfie-server status`.
struct StatusCommand: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show how much is stored, and how the server is.",
    discussion: """
      EXAMPLES
        selfie-server status
        selfie-server status --json --storage-dir /var/lib/selfie-server
      """)

  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    let body = try server.send("GET", ["status"]).body()
    if options.json { return Terminal.writeJSON(body) }
    let status = try JSONRecord(body)
    var table = Table([.init(title: "selfie-server"), .init(title: status.text("version") ?? "-")])
    let uptime = status.number("uptime").map { "for \(HumanValue.duration(seconds: $0))" }
    table.append(["Running", uptime ?? "no"])
    for (name, member) in [("Users", "users"), ("Disabled users", "disabled_users"), ("Photos", "photos")] {
      table.append([name, status.number(member).map { "\($0)" } ?? "-"])
    }
    let sizes = [("Bytes of photos", "bytes"), ("Database", "database_bytes"), ("Free on the disk", "free_bytes")]
    for (name, member) in sizes {
      table.append([name, status.number(member).map(HumanValue.bytes) ?? "-"])
    }
    table.append(["Last backup", HumanValue.time(status.text("last_backup"))])
    if let error = status.text("backup_error") { table.append(["Backup failed", error]) }
    table.append(["Refused sign-ins", status.number("refused_sign_ins").map { "\($0) since the start" } ?? "-"])
    Terminal.write(table.text, to: STDOUT_FILENO)
  }
}
