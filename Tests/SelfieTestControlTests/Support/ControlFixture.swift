import APITestSupport
import Cryptography
import Foundation
import HTTPMessages
import Logging
import Platform
import SQLite
import SelfieAPI
import SelfieTestControl
import SelfieTestDocuments
import TestSupport
import Testing

/// The worlds of a server without a socket, in a folder of their own, at a time that stands still.
final class Fixture: Sendable {
  static let apiAuthName = TestCredentials.name
  static let apiAuthPassword = TestCredentials.password
  static let controlName = "control"
  static let controlPassword = "pass:word"

  let worlds: Worlds
  let real = SettableClock()
  /// How long nothing has used the worlds, in milliseconds.
  let idle = Monitor<Int64>(0)
  private let pools = WorkerPools(cores: 2)
  private let folder: EphemeralFolder

  /// - Parameters:
  ///   - isEphemeral: whether the server keeps nothing.
  ///   - random: the seed of ids and tokens; nil for the system's random numbers.
  ///   - isOwners: whether a request is of a session that the owner's link has begun.
  init(
    isEphemeral: Bool = true, journalSize: Int = Journal.defaultSize, random: UInt64? = nil,
    isOwners: @escaping @Sendable (Request) -> Bool = { _ in false }
  ) throws {
    let (pools, folder, real) = (pools, try EphemeralFolder(in: FileManager.default.temporaryDirectory.path), real)
    self.folder = folder
    var settings = APISettings(authName: Self.apiAuthName, authPassword: Self.apiAuthPassword)
    settings.passwordCost = 4
    let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
    let make = { @Sendable [settings] (name: String) in
      try World(
        folder: folder.makeFolder(), settings: settings, pools: pools, journalSize: journalSize,
        random: WorldRandom(seed: random, world: name), realTime: { real.now }, logger: logger)
    }
    var access = ControlAccess(
      isEphemeral: isEphemeral,
      credentials: BasicCredentials(name: Self.controlName, password: Self.controlPassword)
    ) { real.now }
    access.open(to: isOwners)
    worlds = Worlds(
      main: try make(""), access: access, pool: pools.disk, logger: logger,
      clock: { [idle] in monotonicMilliseconds() + idle.withLock(\.self) }, make: make)
  }

  deinit {
    pools.shutDown()
    worlds.close()
    folder.remove()
  }

  /// A response of the control interface or of the API, as a client sees it.
  struct ControlResponse {
    let status: Int
    let bytes: [UInt8]
    let fields: ResponseFields

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var json: Any? { try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) }
    subscript(_ member: String) -> Any? { (json as? [String: Any])?[member] }
    var message: String { self["message"] as? String ?? "" }
  }

  /// A request of a program on the server's machine.
  func send(
    _ method: String, _ target: String, world: String? = nil, _ body: String = "",
    fields: [(String, String)] = [("Host", "localhost:3000")], peer: String = "127.0.0.1",
    version: RequestHead.Version = .http11
  ) async -> ControlResponse {
    var fields = fields
    if let world { fields.append(("X-Test-World", world)) }
    if !body.isEmpty, !fields.contains(where: { $0.0 == "Content-Type" }) {
      fields.append(("Content-Type", "application/json"))
    }
    let response = await worlds.respond(
      Request(
        method, target, fields: fields.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8), peer: peer,
        version: version))
    return ControlResponse(
      status: response.status.code, bytes: response.body.content ?? [], fields: response.fields)
  }

  /// Checks that a request to the control interface is refused with a message that has this text in it.
  func expectRefusal(
    of body: String, at address: String, _ message: String, status: Int = 400,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let response = await send("POST", "/__admin/\(address)", body)
    #expect(response.status == status, sourceLocation: sourceLocation)
    #expect(response.message.contains(message), "\(response.message)", sourceLocation: sourceLocation)
  }

  /// Seeds a world with users and what they have.
  func seed(_ users: String, world: String? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
    let response = await send("POST", "/__admin/seed", world: world, #"{"users":[\#(users)]}"#)
    #expect(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
  }

  /// A list of photos, as the holder of a token asks for it.
  func photos(of token: String) async -> ControlResponse {
    await send("GET", "/api/get_photos", fields: [("Host", "localhost"), ("Authorization", "Token token=\(token)")])
  }

  /// The API's credentials.
  static let basic = basic(apiAuthName, apiAuthPassword)
  /// The credentials of the control interface.
  static let control = basic(controlName, controlPassword)

  static func basic(_ name: String, _ password: String) -> String {
    "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
  }

  /// A request to the API with its credentials.
  func api(_ method: String, _ path: String, world: String? = nil, _ members: [String: String] = [:]) async throws
    -> ControlResponse
  {
    let body = members.isEmpty ? "" : String(decoding: try JSONEncoder().encode(members), as: UTF8.self)
    return await send(
      method, "/api/\(path)", world: world, body, fields: [("Host", "localhost:3000"), ("Authorization", Self.basic)])
  }

  /// What signs up a user, and signs that user in.
  static let ada = ["email": "a@example.com", "password": encrypted("secret12"), "full_name": "Ada"]

  static func encrypted(_ password: String) -> String {
    AESCrypt(password: Array(apiAuthPassword.utf8)).encrypt(Array(password.utf8))
  }
}
