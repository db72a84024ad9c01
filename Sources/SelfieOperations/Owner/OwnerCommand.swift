package import HTTPMessages

// The owner's commands, and the replies to them. `OwnerConsole` runs the commands.

/// A command that the owner gives the server. Its JSON, such as `{"disableUser":{"email":"ada@example.com"}}`, is what
/// the command line and the owner's page send.
package enum OwnerCommand: Codable, Sendable {
  /// How much is stored, and how the server is.
  case status

  /// The users by their email addresses.
  ///
  /// - `search`: a part of the address or of the name; all users if nil.
  case listUsers(search: String? = nil, limit: Int64)
  /// A sentence for each address that several accounts have, but for its case.
  case similarEmails
  case showUser(email: String)
  /// Makes an account by the rules of sign-ups.
  case createUser(email: String, fullName: String?, password: String)
  /// Deletes a user with everything that is the user's. The reply says what that was.
  case deleteUser(email: String)
  /// Replaces the password, and ends the user's tokens.
  case setPassword(email: String, password: String)
  /// Ends the user's tokens.
  case signOut(email: String)
  /// Keeps the user from signing in, and refuses the user's tokens.
  case disableUser(email: String)
  case enableUser(email: String)

  /// The tokens that have not expired, of one user or of all.
  case listTokens(email: String? = nil, limit: Int64)
  case revokeToken(id: String)

  /// The newest photos, of one user or of all.
  ///
  /// - `before`: the id of the photo after which to go on; from the newest if nil.
  case listPhotos(email: String? = nil, before: Int64? = nil, limit: Int64)
  case showPhoto(id: String)
  /// As `showPhoto`; the bytes of the photo follow the reply.
  case exportPhoto(id: String)
  case deletePhoto(id: String)

  /// Makes an address that opens the owner's page once.
  ///
  /// - `address`: where the owner's browser reaches the server, if that is not its own address.
  case openPage(address: String?)
  /// Ends all sessions and links of the owner's page.
  case closePage
  /// The status and the last backup: all that the page shows of this moment.
  case activity
  /// The last refusals, the newest first.
  ///
  /// - `after`: the number of the last one that is known already; all if nil.
  case why(after: Int64? = nil)
  /// The settings in force.
  case settings
  /// The name, password and address that the app needs.
  case constants
  /// Checks the storage, as `doctor --quick` does, and returns its findings.
  case check
  /// Makes a backup in BACKUP_DIR.
  ///
  /// - `newLine`: whether this storage is a copy of another, and so begins a line of its own.
  /// - `newFolder`: whether to begin a folder, though there were backups elsewhere.
  case backup(newLine: Bool, newFolder: Bool)
  /// Notes when a backup was made elsewhere, in Unix milliseconds.
  case noteBackup(time: Int64)

  /// Whether the owner's page may give this command. Whoever has stolen a session cannot prolong it, nor end the owner's.
  var isForPage: Bool {
    switch self {
    // The bytes of a photo follow the reply, and the page has no use for them.
    case .openPage, .closePage, .exportPhoto, .backup, .noteBackup: false
    default: true
    }
  }

  /// Whether only a running server can carry it out.
  package var needsServer: Bool {
    switch self {
    case .openPage, .closePage, .why: true
    default: false
    }
  }

  /// How many elements of a list are shown unless the owner asks for another number.
  package static let defaultLimit: Int64 = 100
  /// A longer list would be too large to hold whole.
  package static let limits: ClosedRange<Int64> = 1...100_000
  /// The most that a command's JSON may have: an address, a name and a password are far shorter.
  package static let maxJSONBytes = 64 * 1024
}

/// The reply to an owner's command. Its JSON is a value of a type such as `UserView`.
package struct OwnerReply: Sendable {
  /// What the reply says about its JSON.
  package struct Head: Sendable, Codable {
    package var status = 200
    /// Says what was done; nil for commands that only read.
    package var summary: String?
    /// How many elements there are, of which the JSON may have only the first.
    package var total: Int64?
    /// How many bytes of a photo follow.
    package var byteCount: Int64 = 0
  }

  package var head = Head()
  package let json: [UInt8]
  /// The bytes that follow.
  package var content: BodyStream?

  package init(_ json: [UInt8]) {
    self.json = json
  }

  /// A reply with a value that `value` returns.
  init(_ summary: String? = nil, of value: some Encodable, total: Int64? = nil) throws {
    json = try JSONWriter.encode(value, writesNull: true)
    (head.summary, head.total) = (summary, total)
  }

  /// The value that was sent.
  package func value<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
    do {
      return try JSONReader.decode(from: json)
    } catch {
      throw OperationError("The server sent something else. If it is older than this program, restart it.")
    }
  }
}
