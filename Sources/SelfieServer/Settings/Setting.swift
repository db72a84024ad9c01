import SelfieAPI

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
  private let member: (any WritableKeyPath<APISettings, Value> & Sendable)?

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
    (self.name, self.kind, self.fallback, fallbackForTests, member) = (name, kind, fallback, forTests, nil)
    (self.help, self.details, self.link, self.absence) = (help, details, link, absence)
    (self.source, self.isPath) = (source, isPath)
  }

  /// A setting of the API, which has its default.
  init(
    _ name: String, _ kind: SettingKind<Value>, _ member: any WritableKeyPath<APISettings, Value> & Sendable,
    forTests: Value? = nil, _ help: String, _ details: String = "", link: String = "", absence: String = "none",
    from source: SettingSource = .value
  ) {
    (self.name, self.kind, fallback, fallbackForTests) = (name, kind, APISettings.defaults[keyPath: member], forTests)
    (self.help, self.details, self.link, self.absence, self.member) = (help, details, link, absence, member)
    (self.source, isPath) = (source, false)
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
  /// Sets the member of the API's settings, if this is one of them.
  func apply(_ text: String?, isEphemeral: Bool, to settings: inout APISettings)
}

extension SettingRow {
  /// The name of the setting that says which file holds this one; nil for settings that no file of their own can hold.
  var fileName: String? { source == .value ? nil : "\(name)_FILE" }

  /// `--public-url` of PUBLIC_URL, without the hyphens at its beginning.
  var flag: String { name.lowercased().replacing("_", with: "-") }

  /// The help of its flag.
  var flagHelp: String { "\(help) (default: \(defaultText(isEphemeral: false) ?? absence))" }
}
