import ArgumentParser
import Glibc
import Platform
import SelfieOperations

/// `selfie-server why`: what it prints. `RefusalLog` in SelfieOperations has the refusals.
struct WhyCommand: OwnerSubcommand {
  static let configuration = CommandConfiguration(
    "why", "Show the last requests that the server has refused, and why.",
    discussion: """
      A running server keeps the last 200 refusals and failures in memory, with the reason that the app got in \
      X-Error-Detail. Equal ones are one, with their number. The newest comes last, in JSON first.
      """, examples: "why", "why --follow", "why --json | jq '.[0]'")

  @Flag(help: "Go on, and show each new refusal as it comes. With --json, each time a list of the new ones.")
  var follow = false

  @OptionGroup var options: OwnerOptions

  func execute(on server: OwnerConnection) throws {
    var last: Int64?
    repeat {
      let reply = try server.run(.why(after: last))
      let refusals: [RefusalView] = try reply.value()
      if last == nil || !refusals.isEmpty { show(refusals, reply.json) }
      last = refusals.first?.number ?? last ?? 0
    } while follow && !isReaderGone(afterWaiting: 500)
  }

  private func show(_ refusals: [RefusalView], _ json: [UInt8]) {
    if options.json { return Terminal.writeJSON(json) }
    for refusal in refusals.reversed() { Terminal.writeLines(Self.text(of: refusal), to: STDOUT_FILENO) }
    if refusals.isEmpty {
      Terminal.writeLines("Nothing was refused since the server has started.", to: STDERR_FILENO)
    }
  }

  /// Two lines, of which the second is the reason.
  private static func text(of refusal: RefusalView) -> String {
    let time = refusal.time.prefix(19).replacing("T", with: " ")
    let request = refusal.method.map { "\($0) \(refusal.route ?? "(unknown address)")" } ?? "(not read)"
    let facts = [
      "\(time) UTC", "\(refusal.status)", request, refusal.client, refusal.app,
      refusal.email ?? refusal.userID.map { "user \($0)" },
      refusal.status >= 500 ? refusal.requestID.map { "request id \($0)" } : nil,
      refusal.count > 1 ? "\(refusal.count) times" : nil,
    ]
    // Nothing that a client has sent can begin a line.
    let lines = [facts.compactMap(\.self).joined(separator: "  "), "    \(refusal.detail)"]
    return lines.map(\.printable).joined(separator: "\n")
  }

  /// Waits, and returns early if nobody reads standard output any more.
  private func isReaderGone(afterWaiting milliseconds: Int32) -> Bool {
    var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    return poll(&output, 1, milliseconds) > 0
  }
}
