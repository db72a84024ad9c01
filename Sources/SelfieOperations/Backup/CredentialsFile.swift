import Platform
package import SelfieAPI

/// The file in which a storage keeps the API's name and password, as the server writes it.
package enum CredentialsFile {
  /// More than a file of two lines and a comment has.
  static let maxBytes = 16384

  /// The line of a file that was made in place of a lost one. `LostCredentials` removes it.
  static let lossMark = "# New, because this file was missing. Apps have the old ones, which older backups have."

  /// The text of a new file.
  ///
  /// - Parameter replacesLost: whether apps have other ones.
  package static func text(name: String, password: String, replacesLost: Bool = false) -> String {
    """
    # What the app sends to this server; see HTTPHelper.swift there.
    \(replacesLost ? "\(lossMark)\n" : "")API_AUTH_NAME=\(name)
    API_AUTH_PASSWORD=\(password)

    """
  }

  /// Whether a restore may keep the file that a backup contains. Owners also let a shell read it, so everything in it must
  /// mean the same to a shell as to the server.
  ///
  /// - Parameters:
  ///   - layout: where the backup was extracted. A file that is left out is removed.
  ///   - skip: is told of a file that is left out; nil: it is refused.
  /// - Returns: false if the file was left out.
  package static func keep(in layout: StorageLayout, skip: ((_ name: String) -> Void)?) throws -> Bool {
    guard try FileSystem.exists(layout.credentials) else { return true }
    let bytes = try? FileSystem.contents(of: layout.credentials, maxBytes: maxBytes)
    guard let problem = problem(of: bytes.flatMap { $0 } ?? []) else { return true }
    guard let skip else {
      throw OperationError(
        """
        \(StorageLayout.credentials) in the backup \(problem). It must have two lines, API_AUTH_NAME=… and \
        API_AUTH_PASSWORD=…. Use another backup, or restore without this file: pass --skip-damaged, and set \
        API_AUTH_NAME and API_AUTH_PASSWORD.
        """)
    }
    try FileSystem.remove(layout.credentials)
    skip(StorageLayout.credentials)
    return false
  }

  /// Why a file does not have the server's form, as in "the file has no API_AUTH_NAME"; nil if it has. Comments and empty
  /// lines are part of the form, and so are quotes that change nothing.
  static func problem(of bytes: [UInt8]) -> String? {
    var missing = ["API_AUTH_NAME", "API_AUTH_PASSWORD"]
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.isEmpty && line.first != UInt8(ascii: "#") {
      let equals = line.firstIndex(of: UInt8(ascii: "=")) ?? line.endIndex
      guard let name = missing.firstIndex(of: String(decoding: line[..<equals], as: UTF8.self)),
        isPlain(line[equals...].dropFirst())
      else { return "is not as the server writes it: see its line \(index + 1)" }
      missing.remove(at: name)
    }
    return missing.isEmpty ? nil : "has no \(missing.joined(separator: " and no "))"
  }

  /// Whether a shell takes a value as it stands, or as it stands between its quotes.
  private static func isPlain(_ value: ArraySlice<UInt8>) -> Bool {
    guard let quote = value.first else { return false }
    let isQuoted = quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
    guard isQuoted else { return value.allSatisfy { $0.isASCIIAlphanumeric || "_.,:@%+/=^-".utf8.contains($0) } }
    let text = value.dropFirst().dropLast()
    let special = quote == UInt8(ascii: "'") ? "'" : "\"$`\\"
    return value.count > 2 && value.last == quote
      && text.allSatisfy { $0 >= 0x20 && $0 != 0x7f && !special.utf8.contains($0) }
  }
}
