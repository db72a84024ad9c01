import ArgumentParser
import SelfieOperations

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
    try options.report(server.run(end ? .closePage : .openPage(address: address)))
  }
}
