import Platform
import SelfieAPI

// The types of a setting, and rules for its text. `SettingTable` lists all settings, and `Settings` their values.

/// The rule for the text of a setting, and its meaning.
struct SettingKind<Value: Sendable>: Sendable {
  /// The end of a message about a wrong text, after "It must be".
  let rule: String
  /// The text of a value; nil if no text stands for it.
  var text: @Sendable (Value) -> String? = { _ in nil }
  /// What a number without a unit counts; nil where numbers have none.
  var unit: SettingUnit?
  /// Nil if the text is wrong.
  let value: @Sendable (String) -> Value?
}

/// What a number counts in which the owner has probably forgotten the unit if it is very small.
enum SettingUnit: Sendable {
  case seconds, bytes

  /// What a small number means, and what was probably meant; nil for any other number.
  func doubt(about number: Int64) -> String? {
    switch self {
    case .seconds where 1..<60 ~= number: "\(counted(number, "second")). With a unit it is longer, such as \(number)h"
    // Less than any photo.
    case .bytes where 1..<10_000 ~= number: "\(counted(number, "byte")). With a unit it is more, such as \(number)M"
    default: nil
    }
  }
}

extension SettingKind where Value: FixedWidthInteger {
  static func number(_ range: ClosedRange<Value>) -> SettingKind {
    integer(range, nil, "", { Int64($0) })
  }

  static func bytes(_ range: ClosedRange<Value>) -> SettingKind {
    integer(range, .bytes, ", in bytes or with a unit, such as 64M or 1G", { Int64(byteSize: $0) })
  }

  static func seconds(_ range: ClosedRange<Value>) -> SettingKind {
    integer(range, .seconds, ", in seconds or with a unit, such as 90s, 12h or 30d", parsedSeconds)
  }

  private static func integer(
    _ range: ClosedRange<Value>, _ unit: SettingUnit?, _ units: String, _ read: @escaping @Sendable (String) -> Int64?
  ) -> SettingKind {
    SettingKind(
      rule: "a whole number from \(range.lowerBound) to \(range.upperBound)\(units)", text: { "\($0)" }, unit: unit
    ) {
      read($0).flatMap { Value(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension SettingKind where Value: CaseIterable & RawRepresentable<String> {
  static var choice: SettingKind {
    SettingKind(rule: "one of \(Value.allCases.map(\.rawValue).joined(separator: ", "))", text: { $0.rawValue }) {
      Value(rawValue: $0.lowercased())
    }
  }
}

extension SettingKind<Bool> {
  static var onOff: SettingKind {
    SettingKind(rule: "one of on, off", text: { $0 ? "on" : "off" }) { ["on": true, "off": false][$0.lowercased()] }
  }
}

extension SettingKind<String> {
  static var text: SettingKind { checked("a text") { _ in true } }

  /// An IPv6 address may stand in brackets, as in a URL.
  static var host: SettingKind {
    .init(rule: "an address of this machine, without a scheme and a port, such as 0.0.0.0", text: { $0 }) { text in
      let isPlain = !text.contains("/") && !text.contains("]:") && text.count(where: { $0 == ":" }) != 1
      return isPlain ? text.filter { !"[]".contains($0) } : nil
    }
  }

  static func checked(_ rule: String, where isRight: @escaping @Sendable (String) -> Bool) -> SettingKind {
    SettingKind(rule: rule, text: { $0 }, value: { isRight($0) ? $0 : nil })
  }
}

extension SettingKind<String?> {
  static var optional: SettingKind { SettingKind(rule: "a text", text: { $0 }, value: { $0 }) }

  /// Without slashes at its end. Photos and pages have addresses that begin with it, and so has the API: one that ends in a
  /// path of the server's own would lead to `/api/api`.
  static var url: SettingKind {
    SettingKind(
      rule: "an address such as https://selfies.example, without /api or another path of the server's own",
      text: { $0 }
    ) { text in
      var url = text
      while url.last == "/" { url.removeLast() }
      let isHTTP = ["http://", "https://"].contains { url.lowercased().hasPrefix($0) && url.count > $0.count }
      let isClean = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"\"<>\\^`{|}?#".utf8.contains($0) }
      let end = url.split(separator: "/").dropFirst(2).last?.lowercased()
      let isWhole = !["api", "owner", "__admin", "photos"].contains(end)
      return isHTTP && isClean && isWhole ? .some(url) : .none
    }
  }
}

/// Where a server listens besides the port of the apps.
struct ListenAddress: Equatable, Sendable {
  let host: String
  let port: Int
}

extension SettingKind<ListenAddress?> {
  /// HOST:PORT. An IPv6 address stands in brackets.
  static var address: SettingKind {
    SettingKind(rule: "an address and a port, such as 127.0.0.1:9464") { text in
      guard let colon = text.lastIndex(of: ":") else { return nil }
      let (host, digits) = (text[..<colon], text[text.index(after: colon)...])
      let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
      let name = isBracketed ? host.dropFirst().dropLast() : host
      guard digits.utf8.allSatisfy(\.isASCIIDigit), let port = Int(digits), 0...65_535 ~= port, !name.isEmpty,
        isBracketed == name.contains(":")
      else { return nil }
      return .some(ListenAddress(host: String(name), port: port))
    }
  }
}

extension SettingKind<Int64?> {
  /// Bytes; nil for any number of them.
  static var quota: SettingKind {
    SettingKind(
      rule: "a number of bytes, such as 500M, 10G or 1T; 0 means any number", text: { "\($0 ?? 0)" }, unit: .bytes
    ) {
      Int64(byteSize: $0).map { $0 == 0 ? Int64?.none : $0 }
    }
  }
}

extension SettingKind<Set<APIFamily>> {
  static var families: SettingKind {
    let names = APIFamily.allCases.map(\.rawValue)
    return SettingKind(
      rule: "one or more of \(names.joined(separator: ", ")), with commas between them",
      text: { families in names.filter { families.map(\.rawValue).contains($0) }.joined(separator: ",") }
    ) { text in
      let names = text.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
      let families = names.compactMap(APIFamily.init)
      return families.isEmpty || families.count < names.count ? nil : Set(families)
    }
  }
}

/// Reads a number of seconds, or one with a unit, such as `30d`; nil if the text is neither.
func parsedSeconds(_ text: String) -> Int64? {
  let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
  guard let unit = text.last.flatMap({ units[$0] }) else { return Int64(text) }
  guard let count = Int64(text.dropLast()) else { return nil }
  let (seconds, isTooMuch) = count.multipliedReportingOverflow(by: unit)
  return isTooMuch ? nil : seconds
}

/// A setting: a row of ``SettingTable``. `SettingKind` has the rule for its text.
struct Setting<Value: Sendable>: SettingRow {
  let name: String
  let help: String
  let details: String
  let link: String
  let absence: String
  let source: SettingSource
  let isPath: Bool
  private let kind: SettingKind<Value>
  private let fallback: Value
  /// The default of an ephemeral server, where it is another one.
  private let fallbackForTests: Value?
  /// Where the API has its value, if this is a setting of the API.
  private var member: (any WritableKeyPath<APISettings, Value> & Sendable)?

  /// A setting of the program.
  ///
  /// - Parameters:
  ///   - details: what the configuration file and the documentation say in addition to `help`.
  ///   - link: a sentence with links, for the documentation only.
  ///   - absence: what stands for the default where there is none.
  init(
    _ name: String, _ kind: SettingKind<Value>, default fallback: Value, forTests: Value? = nil, _ help: String,
    _ details: String = "", link: String = "", absence: String = "none", from source: SettingSource = .value,
    isPath: Bool = false
  ) {
    self.name = name
    self.kind = kind
    self.fallback = fallback
    fallbackForTests = forTests
    self.help = help
    self.details = details
    self.link = link
    self.absence = absence
    self.source = source
    self.isPath = isPath
  }

  /// A setting of the API, which has its default.
  init(
    _ name: String, _ kind: SettingKind<Value>, _ member: any WritableKeyPath<APISettings, Value> & Sendable,
    forTests: Value? = nil, _ help: String, _ details: String = "", link: String = "", absence: String = "none",
    from source: SettingSource = .value
  ) {
    self.init(
      name, kind, default: APISettings.defaults[keyPath: member], forTests: forTests, help, details, link: link,
      absence: absence, from: source)
    self.member = member
  }

  /// A text that need not be set.
  init(
    _ name: String, _ help: String, _ details: String = "", link: String = "", absence: String = "none",
    from source: SettingSource = .value, isPath: Bool = false
  ) where Value == String? {
    self.init(
      name, .optional, default: nil, help, details, link: link, absence: absence, from: source, isPath: isPath)
  }

  /// The value of a text; the default without one, or with a wrong one.
  func value(of text: String?, isEphemeral: Bool) -> Value {
    text.flatMap(kind.value) ?? (isEphemeral ? fallbackForTests : nil) ?? fallback
  }

  func defaultText(isEphemeral: Bool) -> String? { kind.text(value(of: nil, isEphemeral: isEphemeral)) }

  func problem(with text: String) -> String? {
    kind.value(text) == nil ? "\(name) is \"\(text)\". It must be \(kind.rule)." : nil
  }

  func doubt(about text: String) -> String? {
    Int64(text).flatMap { kind.unit?.doubt(about: $0) }.map { "\(name) is \($0)." }
  }

  func apply(_ text: String?, isEphemeral: Bool, to settings: inout APISettings) {
    if let member { settings[keyPath: member] = value(of: text, isEphemeral: isEphemeral) }
  }
}

/// Where the text of a setting comes from.
enum SettingSource {
  /// The command line, the environment or the configuration file.
  case value
  /// From a file of its own, too, as container platforms provide secrets.
  case valueOrFile
  /// From either; its value is never shown.
  case secret
}

/// A setting of any type.
protocol SettingRow: Sendable {
  /// In the environment and the configuration file.
  var name: String { get }
  /// A sentence for the help of its flag.
  var help: String { get }
  var details: String { get }
  var link: String { get }
  var absence: String { get }
  var source: SettingSource { get }
  /// Whether the value is a path.
  var isPath: Bool { get }
  /// Nil if it has none.
  func defaultText(isEphemeral: Bool) -> String?
  /// Nil if the text is right.
  func problem(with text: String) -> String?
  /// A sentence about a value that is right, and probably not meant; nil for any other.
  func doubt(about text: String) -> String?
  /// Sets the member of the API's settings, if this is one of them.
  func apply(_ text: String?, isEphemeral: Bool, to settings: inout APISettings)
}

extension SettingRow {
  /// The name of the setting that says which file holds this one; nil for settings that no file of their own can hold.
  var fileName: String? { source == .value ? nil : "\(name)_FILE" }

  /// `--public-url` of PUBLIC_URL. Few settings have their flag.
  var flag: String { "--\(name.lowercased().replacing("_", with: "-"))" }
}
