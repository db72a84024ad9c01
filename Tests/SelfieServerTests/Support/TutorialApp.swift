import APITestSupport
import Cryptography
import Foundation
import FoundationNetworking
import Platform
import Testing

/// The tutorial's app in today's Swift, less its views. Its requests have the very bytes of the original's, and its
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
  let apiAuthName: String
  let apiAuthPassword: String
  /// The app's `KeychainAccess`.
  private let keychain = Keychain()
  private let loader = Loader()

  /// - Parameter token: that of another phone, on which the user has signed in.
  init(
    _ origin: String, name: String = APIFixture.authName, password: String = APIFixture.authPassword,
    token: String? = nil
  ) {
    self.origin = origin
    apiAuthName = name
    apiAuthPassword = password
    self.token = token
  }

  var token: String? {
    get { keychain["Auth_Token"] }
    nonmutating set { keychain["Auth_Token"] = newValue }
  }

  // MARK: - ViewController

  func makeSignUpRequest(
    name: String = "Jane Doe", email: String = "jane@example.com", password: String = "secret12"
  ) async throws {
    var request = try buildRequest("signup", method: "POST", hasToken: false)
    request.httpBody = Data(
      "{\"full_name\":\"\(name)\",\"email\":\"\(email)\",\"password\":\"\(encrypt(password))\"}".utf8)
    _ = try await send(request)
  }

  func makeSignInRequest(email: String = "jane@example.com", password: String = "secret12") async throws {
    var request = try buildRequest("signin", method: "POST", hasToken: false)
    request.httpBody = Data("{\"email\":\"\(email)\",\"password\":\"\(encrypt(password))\"}".utf8)
    try saveApiTokenInKeychain(try object(await send(request)))
  }

  /// Signs a user up and in.
  func makeUser(_ email: String = "jane@example.com") async throws {
    try await makeSignUpRequest(email: email)
    try await makeSignInRequest(email: email)
  }

  /// Walks over the response with `as! String` on each key and value.
  private func saveApiTokenInKeychain(_ response: [String: Any]) throws {
    for (key, value) in response {
      let text = try #require(value as? String, "\(key) is no string: the app crashes")
      if key == "api_authtoken" { token = text }
      if key == "authtoken_expiry" { keychain["Auth_Token_Expiry"] = text }
    }
  }

  // MARK: - SelfieCollectionViewController

  /// When the token ends, as `viewDidAppear` reads it; nil where it could not, and would sign out.
  var expiry: Date? {
    let dateFormatter = DateFormatter()
    dateFormatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSZ"
    return keychain["Auth_Token_Expiry"].flatMap(dateFormatter.date(from:))
  }

  func loadSelfieData() async throws -> [Selfie] {
    let data = try await send(try buildRequest("get_photos", method: "GET"))
    let list = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    return try list.map(selfie)
  }

  func deleteSelfie(_ id: String) async throws {
    var request = try buildRequest("delete_photo", method: "DELETE")
    request.httpBody = Data("{\"photo_id\":\"\(id)\"}".utf8)
    _ = try await send(request)
  }

  func clearLoggedinFlagInUserDefaultsAndSignOut() async throws {
    _ = try await send(try buildRequest("clear_token", method: "GET"))
  }

  /// `NSURLConnection.sendAsynchronousRequest` of an image's address: no credentials.
  func download(_ address: String) async throws -> (status: Int, data: Data, headers: [String: String]) {
    let (data, response) = try await loader.load(try URLRequest("GET", address))
    return (response.statusCode, data, response.fields)
  }

  // MARK: - ComposeViewController

  @discardableResult
  func postBtnTapped(image: Data = PNG.random(), title: String = "one") async throws -> Selfie {
    try selfie(try object(await send(try uploadRequest("upload_photo", data: image, title: title))))
  }

  /// Uploads, lists, downloads and deletes selfies.
  ///
  /// - Returns: the only one that is left.
  func keepSelfies(image: Data) async throws -> Selfie {
    #expect(try await loadSelfieData().isEmpty)
    let title = "Me & my \"dog\" 🐶"
    let selfie = try await postBtnTapped(image: image, title: title)
    let second = try await postBtnTapped(image: PNG.random(100), title: "")
    #expect(selfie.title == title)
    #expect(try await loadSelfieData() == [selfie, second])
    let download = try await download(selfie.url)
    #expect(download.status == 200 && download.data == image)
    #expect(download.headers["content-type"] == "image/png")
    #expect(download.headers["content-length"] == "\(image.count)")

    try await deleteSelfie(selfie.id)
    #expect(try await loadSelfieData() == [second])
    #expect(try await self.download(selfie.url).status == 404)
    #expect(try await self.download(second.url).status == 200)
    return second
  }

  // MARK: - What the tutorial leaves to the reader

  func resetPassword(from old: String = "secret12", to new: String) async throws {
    var request = try buildRequest("reset_password", method: "POST")
    request.httpBody = Data("{\"old_password\":\"\(encrypt(old))\",\"new_password\":\"\(encrypt(new))\"}".utf8)
    try saveApiTokenInKeychain(try object(await send(request)))
  }

  // MARK: - HTTPHelper

  func buildRequest(
    _ path: String, method: String, hasToken: Bool = true, contentType: String = "application/json"
  ) throws -> URLRequest {
    var request = try URLRequest(method, "\(origin)/api/\(path)")
    request.addValue(contentType, forHTTPHeaderField: "Content-Type")
    if !hasToken {
      let encoded = Data("\(apiAuthName):\(apiAuthPassword)".utf8).base64EncodedString()
      request.addValue("Basic \(encoded)", forHTTPHeaderField: "Authorization")
    } else if let token {
      request.addValue("Token token=\(token)", forHTTPHeaderField: "Authorization")
    }
    return request
  }

  func uploadRequest(_ path: String, data: Data, title: String) throws -> URLRequest {
    var request = try buildRequest(
      path, method: "POST", contentType: "multipart/form-data; boundary=\(MultipartBody.boundary)")
    request.httpBody = Data(MultipartBody.upload([UInt8](data), title: title))
    return request
  }

  /// `AESCrypt.encrypt(_:password:)` with the API's password.
  func encrypt(_ password: String) -> String {
    AESCrypt(password: Array(apiAuthPassword.utf8)).encrypt(Array(password.utf8))
  }

  /// - Throws: `Alert` for what the app shows; where it would hang or crash, that is the test's failure.
  func send(_ request: URLRequest) async throws -> Data {
    let (data, response) = try await loader.load(request)
    let status = response.statusCode
    if status == 200 { return data }
    let text = String(decoding: data, as: UTF8.self)
    let json = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    let object = try #require(json as? [String: Any], "the app's completion is never called: \(status) \(text)")
    // `getErrorMessage` reads it with `as!`.
    let message = try #require(object["message"] as? String, "the app crashes without a message: \(status) \(text)")
    throw Alert(status: status, message: message, reason: response.fields["x-error"])
  }

  private func object(_ data: Data) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func selfie(_ members: [String: Any]) throws -> Selfie {
    Selfie(
      title: try #require(members["title"] as? String), id: try #require(members["random_id"] as? String),
      url: try #require(members["image_url"] as? String))
  }
}

private final class Keychain: Sendable {
  private let entries = Monitor<[String: String]>([:])

  subscript(account: String) -> String? {
    get { entries.withLock { $0[account] } }
    set { entries.withLock { $0[account] = newValue } }
  }
}
