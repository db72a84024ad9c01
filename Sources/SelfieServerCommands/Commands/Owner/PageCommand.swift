import ArgumentParser
import Glibc
import Platform

/// `selfie-server owner`.
struct PageCommand: OwnerCommand {
  static let configuration = CommandConfiguration(
    commandName: "owner", abstract: "Print a link that opens the owner's page, /owner, in a browser.",
    discussion: """
      The link is valid for five minutes and opens the page once; the page then stays open for twelve hours. Without a \
      link the server has no such page. It takes HTTPS only or, on the server's own machine, http://localhost.

      EXAMPLES
        selfie-server owner
        docker exec selfie selfie-server owner --public-url http://localhost:8080
        selfie-server owner --end
      """)

  @Flag(help: "End all sessions of the page instead, and all links.")
  var end = false

  @Option(
    name: .customLong("public-url"),
    help: "Where your browser reaches the server, if it is at another address than PUBLIC_URL or localhost.")
  var address: String?

  @OptionGroup var options: OwnerOptions

  func execute(on server: any OwnerEndpoint) throws {
    guard !end else {
      let body = try server.send("DELETE", ["page", "sessions"]).body()
      let count = try JSONRecord(body).number("sessions") ?? 0
      return options.report("\(counted(count, "session")) ended, and the page is closed.", body)
    }
    let body = try server.send("POST", ["page", "links"], query: [("at", address)]).body()
    guard !options.json else { return Terminal.writeJSON(body) }
    Terminal.writeLines(try JSONRecord(body).text("url") ?? "", to: STDOUT_FILENO)
  }
}
