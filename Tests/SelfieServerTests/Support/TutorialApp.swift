import APITestSupport
import Cryptography
import Foundation
import Platform
import SelfieAPI
import TestSupport
import Testing

/// The tutorial's app in today's Swift, less its views. Its requests have the very bodies of the original's, and its
/// answers are taken by the original's rules.
struct TutorialApp: Sendable {
  /// `SelfieImage`.
  struct Selfie: Equatable {
    let title: String
    let id: String
    let url: String
  }

  /// An alert that the app would show.
  struct Alert: Error, Equatable {
    let status: Int
    let message: String
    /// The field X-Error, which the tutorial's app does not know yet.
    let reason: String?
  }

  /// Without a path.
  let origin: String
  let requests: AppRequests
  /// The app's `KeychainAccess`.
  private let keychain = Monitor<[String: String]>([:])

  /// - Parameter token: that of another phone, on which the user has signed in.
  init(
    _ origin: String, name: String = APIFixture.authName, password: String = APIFixture.authPassword,
    token: String? = nil
  ) {
    self.origin = origin
    requests = AppRequests(name: name, password: password)
    self.token = token
  }

  var token: String? {
    get { keychain.withLock { $0["api_authtoken"] } }
    nonmutating set { keychain.withLock { $0["api_authtoken"] = newValue } }
  }

  // MARK: - ViewController

  func makeSignUpRequest(
    name: String = "Jane Doe", email: String = "jane@example.com", password: String = "secret12"
  ) async throws {
    try await send(requests.signUp(email, password, fullName: name))
  }

  func makeSignInRequest(email: String = "jane@example.com", password: String = "secret12") async throws {
    try saveApiTokenInKeychain(await send(requests.signIn(email, password)))
  }

  /// Signs a user up and in.
  func makeUser(_ email: String = "jane@example.com") async throws {
    try await makeSignUpRequest(email: email)
    try await makeSignInRequest(email: email)
  }

  /// Walks over the response with `as! String` on each key and value.
  private func saveApiTokenInKeychain(_ response: RawResponse) throws {
    for (key, value) in try #require(response.object) {
      let text = try #require(value as? String, "\(key) is no string: the app crashes")
      keychain.withLock { $0[key] = text }
    }
  }

  // MARK: - SelfieCollectionViewController

  /// When the token ends, as `viewDidAppear` reads it; nil where it could not, and would sign out.
  var expiry: Date? {
    let dateFormatter = DateFormatter()
    dateFormatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSZ"
    return keychain.withLock { $0["authtoken_expiry"] }.flatMap(dateFormatter.date(from:))
  }

  func loadSelfieData() async throws -> [Selfie] {
    try #require(try await send(requests.photos(token)).list).map(selfie)
  }

  func deleteSelfie(_ id: String) async throws { try await send(requests.deletePhoto(token, id)) }

  func clearLoggedinFlagInUserDefaultsAndSignOut() async throws { try await send(requests.clear(token)) }

  /// `NSURLConnection.sendAsynchronousRequest` of an image's address: no credentials.
  func download(_ address: String) async throws -> RawResponse {
    let match = try #require(address.wholeMatch(of: /(http:\/\/[^\/]+)(.*)/))
    return try await RawClient.response(to: AppRequest("GET", String(match.2)), at: String(match.1))
  }

  // MARK: - ComposeViewController

  @discardableResult
  func postBtnTapped(image: [UInt8] = PNG.random(), title: String = "one") async throws -> Selfie {
    try selfie(try #require(try await send(requests.upload(token, image, title: title)).object))
  }

  /// Uploads, lists, downloads and deletes selfies.
  ///
  /// - Returns: the only one that is left.
  func keepSelfies(image: [UInt8]) async throws -> Selfie {
    #expect(try await loadSelfieData().isEmpty)
    let title = "Me & my \"dog\" 🐶"
    let selfie = try await postBtnTapped(image: image, title: title)
    let second = try await postBtnTapped(image: PNG.random(100), title: "")
    #expect(selfie.title == title)
    #expect(try await loadSelfieData() == [selfie, second])
    let download = try await download(selfie.url)
    #expect(download.status == 200 && download.body == image)
    #expect(download["content-type"] == "image/png")
    #expect(download["content-length"] == "\(image.count)")

    try await deleteSelfie(selfie.id)
    #expect(try await loadSelfieData() == [second])
    #expect(try await self.download(selfie.url).status == 404)
    #expect(try await self.download(second.url).status == 200)
    return second
  }

  // MARK: - What the tutorial leaves to the reader

  func resetPassword(from old: String = "secret12", to new: String) async throws {
    try saveApiTokenInKeychain(await send(requests.resetPassword(token, from: old, to: new)))
  }

  // MARK: - HTTPHelper

  /// - Throws: `Alert` for what the app shows; where it would hang or crash, that is the test's failure.
  @discardableResult
  private func send(_ request: AppRequest) async throws -> RawResponse {
    let response = try await RawClient.response(to: request, at: origin)
    if response.status == 200 { return response }
    let answer = "\(response.status) \(response.text)"
    let object = try #require(response.object, "the app's completion is never called: \(answer)")
    // `getErrorMessage` reads it with `as!`.
    let message = try #require(object["message"] as? String, "the app crashes without a message: \(answer)")
    throw Alert(status: response.status, message: message, reason: response["x-error"])
  }

  private func selfie(_ members: [String: Any]) throws -> Selfie {
    Selfie(
      title: try #require(members["title"] as? String), id: try #require(members["random_id"] as? String),
      url: try #require(members["image_url"] as? String))
  }
}

/// A server of the real parts, in this process: on a free port, with its storage in a temporary folder, at a time that
/// the test sets.
struct LocalServer: Sendable {
  let origin: String
  let clock: SettableClock

  /// The app, set up for this server.
  var app: TutorialApp { TutorialApp(origin) }

  /// Runs a test against a server, and stops that afterwards.
  static func run(
    adjust: (inout APISettings) -> Void = { _ in }, _ test: (LocalServer) async throws -> Void
  ) async throws {
    let fixture = try APIFixture(adjust: adjust)
    try await fixture.serve { try await test(LocalServer(origin: "http://127.0.0.1:\($0)", clock: fixture.clock)) }
  }

  /// Runs a test with an app that has signed up and in.
  static func runWithUser(
    adjust: (inout APISettings) -> Void = { _ in }, _ test: (LocalServer, TutorialApp) async throws -> Void
  ) async throws {
    try await run(adjust: adjust) { server in
      let app = server.app
      try await app.makeUser()
      try await test(server, app)
    }
  }
}

/// Pictures of 30 by 20 pixels. After its end, which is where programs stop reading, each has random bytes.
enum PNG {
  private static let picture = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAB4AAAAUAQAAAACy0LBpAAAADklEQVR42mP4DwQMtCUAkaVPscC2y0EAAAAASUVORK5CYII=")

  static func random(_ byteCount: Int = 2_700) -> [UInt8] {
    let picture = Array(picture ?? Data())
    return picture + RandomSource.system.bytes(byteCount - picture.count)
  }
}
