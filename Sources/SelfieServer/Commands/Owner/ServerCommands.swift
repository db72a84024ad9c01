import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SelfieAPI
import SelfieOperations

/// `selfie-server constants`: prints the text that `appConstants` makes.
struct ConstantsCommand: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "constants", "Print the app's three constants, as the first start of the server does.", examples: "constants")

  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    let settings = try options.settings()
    let reply = try server.run(.constants)
    if server.isStopped, settings.credentials == nil, try APIKey.stored(in: settings.storageDir) == nil {
      throw OperationError(
        "API_AUTH_NAME and API_AUTH_PASSWORD are not set, and there is no \(StorageLayout(folder: settings.storageDir).credentials)."
      )
    }
    if options.json { return Terminal.writeJSON(reply.json) }
    Terminal.write(
      appConstants(
        name: reply.object.shown("api_auth_name"), password: reply.object.shown("api_auth_password"),
        url: reply.object.text("client_url") ?? settings.clientURL(port: settings.port)), to: STDOUT_FILENO)
  }
}

/// The constants that the tutorial's iOS app needs to reach this server, as its owner pastes them into HTTPHelper.swift.
/// None of them is the server's own.
func appConstants(name: String, password: String, url: String) -> String {
  """
    static let API_AUTH_NAME = "\(name)"
    static let API_AUTH_PASSWORD = "\(password)"
    static let BASE_URL = "\(url)/api"

  """
}

/// `selfie-server owner`: prints a link to the owner's page. `OwnerPage` in SelfieOperations serves the page.
struct PageCommand: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "owner", "Print a link that opens the owner's page, /owner, in a browser.",
    discussion: """
      The link is valid for five minutes and opens the page once; the page then stays open for twelve hours. Without a \
      link, /owner does not exist. It needs HTTPS or, on the server's own machine, http://localhost.
      """, examples: "owner", "owner --public-url http://localhost:8080", "owner --end")

  @Flag(help: "Instead, close the page in all browsers, and end all links.")
  var end = false

  @Option(
    name: .customLong("public-url"),
    help: "Where your browser reaches the server, if not at PUBLIC_URL or localhost.")
  var address: String?

  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    options.report(try server.run(end ? .closePage : .openPage(address: address)))
  }
}

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
    options.show(reply) { status in
      let uptime = status.number("uptime").map { "for \(HumanValue.duration(seconds: $0))" }
      let counts = [("Users", "users"), ("Disabled users", "disabled_users"), ("Photos", "photos")]
      let sizes = [("Bytes of photos", "bytes"), ("Database", "database_bytes"), ("Free disk space", "free_bytes")]
      var rows = [("selfie-server", status.shown("version")), ("Running", uptime ?? "no")]
      rows += counts.map { ($0, status.number($1).map { "\($0)" } ?? "-") }
      rows += sizes.map { ($0, status.number($1).map(HumanValue.bytes) ?? "-") }
      rows.append(("Last backup", status.text("last_backup").map { HumanValue.time($0) } ?? "none"))
      if let error = status.text("backup_error") { rows.append(("Backup failed", error)) }
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
