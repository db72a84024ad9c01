import Platform
import SelfieAPI
import SelfieOperations

/// Reads settings one by one and collects the problems with them.
struct SettingReader {
  let sources: SettingSources
  private(set) var problems: [String]
  /// The defaults of the settings that were read.
  private var defaults: [Setting: String] = [:]

  init(sources: SettingSources) {
    self.sources = sources
    problems = sources.problems
  }

  func text(_ setting: Setting) -> String? {
    sources[setting]
  }

  mutating func text(_ setting: Setting, default value: String) -> String {
    defaults[setting] = value
    return sources[setting] ?? value
  }

  /// All settings, with the defaults of those that are not set, and without secrets.
  var shown: [ShownSetting] {
    Setting.allCases.map { setting in
      let mask = setting.isSecret ? "••••••••" : nil
      return ShownSetting(
        name: setting.rawValue, value: sources[setting].map { mask ?? $0 } ?? defaults[setting],
        source: sources.origin(of: setting))
    }
  }

  mutating func report(_ problem: String) {
    problems.append(problem)
  }

  mutating func number(
    _ setting: Setting, of unit: SettingUnit = .pieces, in range: ClosedRange<Int>, default value: Int
  ) -> Int {
    defaults[setting] = "\(value)"
    guard let text = sources[setting] else { return value }
    guard let number = unit.number(text).flatMap({ Int(exactly: $0) }), range.contains(number) else {
      problems.append(
        """
        \(setting.rawValue) is "\(text)". It must be a whole number from \(range.lowerBound) to \(range.upperBound)\
        \(unit.hint).
        """)
      return value
    }
    return number
  }

  /// A number of bytes; nil where there is none, or 0.
  mutating func quota(_ setting: Setting) -> Int64? {
    defaults[setting] = "0"
    guard let text = sources[setting] else { return nil }
    let bytes = ByteSize.bytes(text)
    if bytes == nil {
      problems.append(
        "\(setting.rawValue) is \"\(text)\". It must be a number of bytes, such as 500M, 10G or 1T; 0 means any number."
      )
    }
    return bytes == 0 ? nil : bytes
  }

  mutating func choice<Choice: RawRepresentable>(
    _ setting: Setting, of choices: [Choice], default value: Choice
  ) -> Choice where Choice.RawValue == String {
    defaults[setting] = value.rawValue
    guard let text = sources[setting] else { return value }
    guard let choice = choices.first(where: { $0.rawValue == text.lowercased() }) else {
      let all = choices.map(\.rawValue).joined(separator: ", ")
      problems.append("\(setting.rawValue) is \"\(text)\". It must be one of \(all).")
      return value
    }
    return choice
  }

  mutating func isOn(_ setting: Setting, default value: Bool) -> Bool {
    choice(setting, of: Switch.allCases, default: value ? .on : .off) == .on
  }

  private enum Switch: String, CaseIterable {
    case on, off
  }

  /// Name and password must be set together. A name cannot contain a colon, which would end it (RFC 7617 §2).
  mutating func credentials(_ name: Setting, _ password: Setting) -> Credentials? {
    switch (sources[name], sources[password]) {
    case (let text?, let secret?):
      if text.contains(":") { problems.append("\(name.rawValue) must not contain a colon.") }
      return Credentials(name: text, password: secret)
    case (nil, nil): return nil
    case (nil, _?): problems.append("\(password.rawValue) is set, but \(name.rawValue) is not. Set both or neither.")
    case (_?, nil): problems.append("\(name.rawValue) is set, but \(password.rawValue) is not. Set both or neither.")
    }
    return nil
  }

  /// Reports a password of the API that can be guessed.
  mutating func checkStrength(of credentials: Credentials?) {
    guard let weakness = credentials?.weakness else { return }
    problems.append(Credentials.refusal(of: Setting.apiAuthPassword.rawValue, because: weakness))
  }

  /// The password that is valid as well as the one that must be set.
  mutating func previousPassword() -> String? {
    guard let previous = sources[.apiAuthPasswordPrevious] else { return nil }
    switch sources[.apiAuthPassword] {
    case nil: problems.append("API_AUTH_PASSWORD_PREVIOUS is set, but API_AUTH_PASSWORD is not. Set both.")
    case previous?:
      problems.append("API_AUTH_PASSWORD_PREVIOUS is the same as API_AUTH_PASSWORD. Remove it, or set a new password.")
    case _?: break
    }
    return previous
  }

  mutating func families() -> Set<APIFamily> {
    let all = APIFamily.allCases.map(\.rawValue).joined(separator: ", ")
    let text = self.text(.apiFamilies, default: all)
    let names = text.lowercased().split(separator: ",").map { $0.filter { $0 != " " } }
    let families = names.compactMap(APIFamily.init)
    guard !families.isEmpty, families.count == names.count else {
      problems.append("API_FAMILIES is \"\(text)\". It must be one or more of \(all), with commas between them.")
      return Set(APIFamily.allCases)
    }
    return Set(families)
  }

  mutating func trustedProxies() -> TrustedProxies {
    guard let text = sources[.trustedProxies] else { return .none }
    guard let proxies = TrustedProxies(text) else {
      problems.append(
        "TRUSTED_PROXIES is \"\(text)\". It must be addresses or networks, such as 127.0.0.1, 10.0.0.0/8.")
      return .none
    }
    return proxies
  }

  mutating func corsOrigins() -> AllowedOrigins? {
    guard let text = sources[.corsOrigins] else { return nil }
    let origins = AllowedOrigins(text)
    if origins == nil {
      problems.append(
        """
        CORS_ORIGINS is "\(text)". It must be * or origins such as https://app.example, http://localhost:5173: a scheme \
        and a host, without a path.
        """)
    }
    return origins
  }

  /// The certificate and its key must be set together.
  mutating func tlsFiles(readsThem: Bool) -> TLSFiles? {
    switch (sources[.tlsCertificate], sources[.tlsKey]) {
    case (let certificate?, let key?):
      let files = TLSFiles(certificate: certificate, key: key)
      do throws(ConfigurationError) {
        if readsThem { _ = try files.certifiedKey(files.contents()) }
      } catch {
        problems += error.problems
      }
      return files
    case (nil, nil): return nil
    case (nil, _?): problems.append("TLS_KEY is set, but TLS_CERTIFICATE is not. Set both or neither.")
    case (_?, nil): problems.append("TLS_CERTIFICATE is set, but TLS_KEY is not. Set both or neither.")
    }
    return nil
  }

  mutating func listenAddress(_ setting: Setting) -> ListenAddress? {
    guard let text = sources[setting] else { return nil }
    let address = ListenAddress(text)
    if address == nil {
      problems.append("\(setting.rawValue) is \"\(text)\". It must be an address and a port, such as 127.0.0.1:9464.")
    }
    return address
  }

  /// The path of a folder that must exist.
  mutating func folder(_ setting: Setting) -> String? {
    guard let path = sources[setting] else { return nil }
    if !FileSystem.isFolder(path) { problems.append("\(setting.rawValue) is \(path), and there is no such folder.") }
    return path
  }

  mutating func publicURL() -> String? {
    guard var url = sources[.publicURL] else { return nil }
    while url.last == "/" { url.removeLast() }
    let isHTTP = ["http://", "https://"].contains { url.lowercased().hasPrefix($0) && url.count > $0.count }
    let isClean = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"\"<>\\^`{|}?#".utf8.contains($0) }
    guard isHTTP && isClean else {
      problems.append("PUBLIC_URL is \"\(url)\". It must be an address such as https://selfies.example.")
      return nil
    }
    return url
  }
}

/// What the number of a setting counts, and so which letter may follow it.
enum SettingUnit {
  case pieces, bytes, seconds

  private static let secondsOfUnits: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]

  /// Nil if the text is no number.
  func number(_ text: String) -> Int64? {
    switch self {
    case .pieces: return Int64(text)
    case .bytes: return ByteSize.bytes(text)
    case .seconds:
      guard let unit = text.last.flatMap({ Self.secondsOfUnits[$0] }) else { return Int64(text) }
      guard let count = Int64(text.dropLast()) else { return nil }
      let (seconds, isTooMuch) = count.multipliedReportingOverflow(by: unit)
      return isTooMuch ? nil : seconds
    }
  }

  /// What a message about a number adds.
  var hint: String {
    switch self {
    case .pieces: ""
    case .bytes: ", in bytes or with a unit, such as 64M or 1G"
    case .seconds: ", in seconds or with a unit, such as 90s, 12h or 30d"
    }
  }
}
