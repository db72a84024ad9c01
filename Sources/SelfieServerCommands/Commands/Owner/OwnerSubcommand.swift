import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SelfieOperations

/// A command of the command line that gives the server an owner's command, whether or not the server runs.
protocol OwnerSubcommand: Command {
  var options: OwnerOptions { get }
  func execute(on server: OwnerConnection) throws
}

extension OwnerSubcommand {
  func execute() throws {
    WriteSignals.ignore()
    try OwnerConnection.open(options.settings(), execute(on:))
  }
}

extension CommandConfiguration {
  /// - Parameter examples: what follows the program's name.
  init(_ name: String, _ abstract: String, discussion: String? = nil, examples: String...) {
    let lines = ["EXAMPLES"] + examples.map { "  selfie-server \($0)" }
    self.init(
      commandName: name, abstract: abstract,
      discussion: (discussion.map { $0 + "\n\n" } ?? "") + lines.joined(separator: "\n"))
  }
}

/// The options of every owner's command.
struct OwnerOptions: ConfigurationSource {
  @Flag(help: "Print JSON, for programs.")
  var json = false

  @Option(help: ConfigurationHelp.config) var config: String?
  @Option(help: ConfigurationHelp.home) var home: String?
  @Option(help: ConfigurationHelp.storageDir) var storageDir: String?

  var flags: [String: String?] { [SettingTable.all.storageDir.name: storageDir] }

  /// Says what was done.
  ///
  /// - Parameters:
  ///   - sentence: one line, whatever the names in it are; the reply's own if nil.
  ///   - generated: a new password, which is then all that stands on standard output.
  func report(
    _ reply: OwnerReply, _ sentence: String? = nil, generated: (email: String, password: String)? = nil
  ) {
    let sentence = (sentence ?? reply.summary ?? "").printable
    guard let generated else {
      return json ? Terminal.writeJSON(reply.json) : Terminal.writeLines(sentence, to: STDOUT_FILENO)
    }
    guard !json else {
      return Terminal.writeJSON(
        JSONWriter.object { json in
          json.member("email", generated.email)
          json.member("password", generated.password)
        })
    }
    Terminal.write("\(generated.password)\n", to: STDOUT_FILENO)
    Terminal.writeLines(sentence, to: STDERR_FILENO)
  }

  /// Shows what is known of one thing, as names and values.
  func show(_ reply: OwnerReply, _ rows: (ParameterValue) -> [(name: String, value: String)]) {
    guard !json else { return Terminal.writeJSON(reply.json) }
    let rows = rows(reply.object)
    var table = Table([(rows[0].name, .whole), (rows[0].value, .whole)])
    for row in rows.dropFirst() { table.append([row.name, row.value]) }
    Terminal.write(table.text, to: STDOUT_FILENO)
  }
}
