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
  func report(_ reply: OwnerReply, _ sentence: String? = nil, generated: GeneratedPassword? = nil) throws {
    let sentence = (sentence ?? reply.head.summary ?? "").printable
    guard let generated else {
      return json ? Terminal.writeJSON(reply.json) : Terminal.writeLines(sentence, to: STDOUT_FILENO)
    }
    guard !json else { return Terminal.writeJSON(try JSONWriter.encode(generated)) }
    Terminal.writeLines(generated.password, to: STDOUT_FILENO)
    Terminal.writeLines(sentence, to: STDERR_FILENO)
  }

  /// The name of a row that the owner must not miss.
  static let warning = "Needs attention"

  /// Shows what is known of one thing, as names and values.
  func show(_ reply: OwnerReply, _ rows: () throws -> [Detail]) rethrows {
    guard !json else { return Terminal.writeJSON(reply.json) }
    let rows = try rows()
    let cells = rows.dropFirst().map { [$0.name, $0.value] }
    Terminal.write(table: [.whole(rows[0].name), .whole(rows[0].value)], cells) { $0 == Self.warning }
  }
}

/// A new password of a user that this program has made up.
struct GeneratedPassword: Encodable {
  let email: String
  let password: String
}

/// A line about one thing: a name and a value.
struct Detail {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A column of a list.
struct ListColumn<Element> {
  let column: Terminal.Column
  let cell: (Element) -> String

  init(_ column: Terminal.Column, _ cell: @escaping (Element) -> String) {
    self.column = column
    self.cell = cell
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
  func show<Element: Decodable>(
    _ reply: OwnerReply, _ options: OwnerOptions, noun: String, _ columns: [ListColumn<Element>]
  ) throws {
    if options.json {
      guard sort == nil else { throw ValidationError("--sort cannot be combined with --json. Use jq.") }
      Terminal.writeJSON(reply.json)
    } else {
      let elements: [Element] = try reply.value()
      let places = try sort.map { try order(of: reply, by: $0) } ?? Array(elements.indices)
      let rows = places.prefix(Int(limit)).map { index in columns.map { $0.cell(elements[index]) } }
      if rows.isEmpty {
        Terminal.write("There are no \(inflected(noun, 0)).\n", to: STDOUT_FILENO)
      } else {
        Terminal.write(table: columns.map(\.column), rows)
      }
    }
    // On standard error, so that a program that reads the list is not confused.
    if let total = reply.head.total, total > limit {
      Terminal.write("\(limit) of \(counted(total, noun)) are shown. To see more, pass --limit.\n", to: STDERR_FILENO)
    }
  }
}

// The owner names the member of the JSON by which to sort, so that it is looked up by that name.
extension ListOptions {
  /// The places of a list's elements in the order in which they are shown.
  private func order(of reply: OwnerReply, by sort: String) throws -> [Int] {
    guard case .array(let elements) = try JSONReader.read(reply.json), !elements.isEmpty else { return [] }
    guard elements.contains(where: { $0[member: sort] != nil }) else {
      throw OperationError("Nothing in this list has a member \(sort). The members are \(Self.members(of: elements)).")
    }
    let keys = elements.map { SortKey($0[member: sort]) }
    return elements.indices.sorted { keys[$0] < keys[$1] }
  }

  /// The names of the members of the first element.
  private static func members(of elements: [ParameterValue]) -> String {
    guard case .object(let members)? = elements.first else { return "none" }
    return members.keys.sorted().joined(separator: ", ")
  }

  /// Numbers from high to low, and text from A to Z.
  private struct SortKey: Comparable {
    private var number: Int64 = 0
    private var text = ""

    init(_ value: ParameterValue?) {
      switch value {
      case .number(let digits): number = Int64(digits) ?? 0
      case .string(let text): self.text = text
      default: break
      }
    }

    static func < (one: Self, other: Self) -> Bool {
      one.number == other.number ? one.text < other.text : one.number > other.number
    }
  }
}
