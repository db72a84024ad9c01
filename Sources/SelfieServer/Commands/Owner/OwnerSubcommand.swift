import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SelfieOperations

/// A command of the command line that gives the server an owner's command, whether or not the server runs.
/// `OwnerConnection` passes it on, and `OwnerConsole` in SelfieOperations does the work.
protocol OwnerSubcommand: Command {
  var options: OwnerOptions { get }
  func execute(on server: OwnerConnection) throws
}

extension OwnerSubcommand {
  func execute() throws {
    try execute(on: OwnerConnection(options.settings()))
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

extension ArgumentHelp {
  static let email: ArgumentHelp = "The user's email address, which is case-sensitive."
  static let photo: ArgumentHelp = "The photo's random_id, as photo list shows it."
}

/// The options of every owner's command.
struct OwnerOptions: ConfigurationSource {
  @Flag(help: "Print JSON, for programs.")
  var json = false

  @Option(help: .config) var config: String?
  @Option(help: .home) var home: String?
  @Option(help: .storageDir) var storageDir: String?

  var flags: [String: String?] { [SettingTable.all.storageDir.name: storageDir] }

  /// Says what was done.
  ///
  /// - Parameters:
  ///   - sentence: one line, whatever the names in it are; the reply's own if nil.
  ///   - generated: a new password, which is then all that stands on standard output.
  func report(_ reply: OwnerReply, _ sentence: String? = nil, generated: (email: String, password: String)? = nil) {
    let sentence = (sentence ?? reply.head.summary ?? "").printable
    guard let generated else {
      return json ? Terminal.writeJSON(reply.json) : Terminal.writeLines(sentence, to: STDOUT_FILENO)
    }
    guard json else {
      Terminal.writeLines(generated.password, to: STDOUT_FILENO)
      return Terminal.writeLines(sentence, to: STDERR_FILENO)
    }
    Terminal.writeJSON(
      JSONWriter.object { json in
        json.member("email", generated.email)
        json.member("password", generated.password)
      })
  }

  /// The name of a row that the owner must not miss.
  static let warning = "Needs attention"

  /// Shows what is known of one thing, as names and values.
  func show(_ reply: OwnerReply, _ rows: () throws -> [(name: String, value: String)]) rethrows {
    guard !json else { return Terminal.writeJSON(reply.json) }
    let rows = try rows()
    let cells = rows.dropFirst().map { [$0.name, $0.value] }
    Terminal.write(table: [(rows[0].name, .whole), (rows[0].value, .whole)], cells) { $0 == Self.warning }
  }
}

/// A column of a list.
struct ListColumn<Element> {
  let title: String
  let kind: Terminal.Column
  let cell: (Element) -> String

  init(_ title: String, _ kind: Terminal.Column, _ cell: @escaping (Element) -> String) {
    (self.title, self.kind, self.cell) = (title, kind, cell)
  }
}

/// The options of a command that lists.
struct ListOptions: ParsableArguments {
  @Option(help: "The maximum number to show, 1 to \(OwnerCommand.limits.upperBound).")
  var limit = OwnerCommand.defaultLimit

  @Option(help: "Sort by a member of --json, such as email. Numbers sort from high to low, text from A to Z.")
  var sort: String?

  /// How many elements to ask for: those to show, or all to sort.
  var requested: Int64 { sort == nil ? limit : OwnerCommand.limits.upperBound }

  func validate() throws {
    guard OwnerCommand.limits.contains(limit) else {
      throw ValidationError("--limit must be from 1 to \(OwnerCommand.limits.upperBound).")
    }
  }

  /// Prints a list as a table, or as the JSON that it is.
  ///
  /// - Parameter columns: their titles and kinds, and the cells of an element.
  func show<Element: Decodable>(
    _ reply: OwnerReply, _ options: OwnerOptions, noun: String, _ columns: [ListColumn<Element>]
  ) throws {
    if options.json {
      guard sort == nil else { throw ValidationError("--sort cannot be combined with --json. Use jq.") }
      Terminal.writeJSON(reply.json)
    } else if case .array(let elements) = reply.object, !elements.isEmpty {
      let views: [Element] = try reply.value()
      let rows = try sorted(elements).prefix(Int(limit)).map { index in columns.map { $0.cell(views[index]) } }
      Terminal.write(table: columns.map { ($0.title, $0.kind) }, rows)
    } else {
      Terminal.write("There are no \(inflected(noun, 0)).\n", to: STDOUT_FILENO)
    }
    // On standard error, so that a program that reads the list is not confused.
    if let total = reply.head.total, total > limit {
      Terminal.write("\(limit) of \(counted(total, noun)) are shown. To see more, pass --limit.\n", to: STDERR_FILENO)
    }
  }
}

extension ListOptions {
  /// The places of the elements in the order in which they are shown.
  private func sorted(_ elements: [ParameterValue]) throws -> [Int] {
    guard let sort else { return Array(elements.indices) }
    guard elements.contains(where: { $0[member: sort] != nil }) else {
      throw OperationError("Nothing in this list has a member \(sort). The members are \(Self.members(of: elements)).")
    }
    return elements.indices.sorted {
      let (one, other) = (elements[$0], elements[$1])
      let (first, second) = (one.number(sort) ?? 0, other.number(sort) ?? 0)
      return first == second ? (one.text(sort) ?? "") < (other.text(sort) ?? "") : first > second
    }
  }
}

extension ListOptions {
  /// The names of the members of the first element.
  fileprivate static func members(of elements: [ParameterValue]) -> String {
    guard case .object(let members)? = elements.first else { return "none" }
    return members.keys.sorted().joined(separator: ", ")
  }
}

/// The members of an object of a reply, as people read them.
extension ParameterValue {
  func shown(_ name: String) -> String { text(name) ?? "-" }
  func count(_ name: String) -> Int64 { number(name) ?? 0 }
  func bytes(_ name: String) -> String { HumanValue.bytes(count(name)) }
  func time(_ name: String) -> String { HumanValue.time(text(name)) }
}
