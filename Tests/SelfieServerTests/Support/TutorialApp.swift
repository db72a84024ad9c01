import Foundation
import FoundationNetworking
import Testing

/// What the tutorial's view controllers do, less their views.
struct TutorialApp: Sendable {
  var helper: HTTPHelper

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

  // MARK: - ViewController

  func makeSignUpRequest(name: String, email: String, password: String) async throws {
    var request = try helper.buildRequest("signup", method: "POST", authType: .httpBasicAuth)
    request.httpBody = Data(
      "{\"full_name\":\"\(name)\",\"email\":\"\(email)\",\"password\":\"\(helper.encrypt(password))\"}".utf8)
    _ = try await send(request)
  }

  func makeSignInRequest(email: String, password: String) async throws {
    var request = try helper.buildRequest("signin", method: "POST", authType: .httpBasicAuth)
    request.httpBody = Data("{\"email\":\"\(email)\",\"password\":\"\(helper.encrypt(password))\"}".utf8)
    try saveApiTokenInKeychain(try object(await send(request)))
  }

  /// Walks over the response with `as! String` on each key and value.
  private func saveApiTokenInKeychain(_ response: [String: Any]) throws {
    for (key, value) in response {
      let text = try #require(value as? String, "\(key) is no string: the app crashes")
      if key == "api_authtoken" { helper.keychain["Auth_Token"] = text }
      if key == "authtoken_expiry" { helper.keychain["Auth_Token_Expiry"] = text }
    }
  }

  // MARK: - SelfieCollectionViewController

  /// When the token ends, as `viewDidAppear` reads it; nil where it could not, and would sign out.
  var expiry: Date? {
    let dateFormatter = DateFormatter()
    dateFormatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSZ"
    return helper.keychain["Auth_Token_Expiry"].flatMap(dateFormatter.date(from:))
  }

  func loadSelfieData() async throws -> [Selfie] {
    let data = try await send(try helper.buildRequest("get_photos", method: "GET", authType: .httpTokenAuth))
    let list = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
    return try list.map(selfie)
  }

  func deleteSelfie(_ id: String) async throws {
    var request = try helper.buildRequest("delete_photo", method: "DELETE", authType: .httpTokenAuth)
    request.httpBody = Data("{\"photo_id\":\"\(id)\"}".utf8)
    _ = try await send(request)
  }

  func clearLoggedinFlagInUserDefaultsAndSignOut() async throws {
    _ = try await send(try helper.buildRequest("clear_token", method: "GET", authType: .httpTokenAuth))
  }

  // MARK: - ComposeViewController

  func postBtnTapped(image: Data, title: String) async throws -> Selfie {
    try selfie(try object(await send(try helper.uploadRequest("upload_photo", data: image, title: title))))
  }

  // MARK: - What the tutorial leaves to the reader

  func resetPassword(from old: String, to new: String) async throws {
    var request = try helper.buildRequest("reset_password", method: "POST", authType: .httpTokenAuth)
    request.httpBody = Data(
      "{\"old_password\":\"\(helper.encrypt(old))\",\"new_password\":\"\(helper.encrypt(new))\"}".utf8)
    try saveApiTokenInKeychain(try object(await send(request)))
  }

  // MARK: - The rules of sendRequest

  /// - Throws: `Alert` for what the app shows; where it would hang or crash, that is the test's failure.
  func send(_ request: URLRequest) async throws -> Data {
    switch await helper.sendRequest(request) {
    case .success(let data): return data
    case .failure(let status, let message, let headers):
      throw Alert(status: status, message: message, reason: headers["x-error"])
    case .neverCalled(let status, let body):
      Issue.record("the app's completion is never called: \(status) \(body)")
    case .crashed(let status, let body):
      Issue.record("the app crashes on an error without a message: \(status) \(body)")
    case .noAnswer(let error):
      Issue.record("there was no answer: \(error)")
    }
    throw CancellationError()
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
