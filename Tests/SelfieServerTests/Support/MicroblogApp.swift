import Foundation
import FoundationNetworking
import Testing

/// What the Microblog app does by RestKit, less its views. Its URLSession keeps the cookies, as RestKit's did.
final class MicroblogApp: Sendable {
  private let origin: String
  private let loader = Loader()

  init(_ origin: String) {
    self.origin = origin
  }

  struct BlogPost: Decodable, Equatable {
    let id: String
    let created: String
    let text: String
    let creator: String
  }

  /// What the app does when a request fails.
  enum Failure: Error, Equatable {
    /// It presents its login view, and sends the post again after the login.
    case loginIsPresented
    case shows(String)
    /// The app has no view for this.
    case status(Int)
  }

  // MARK: - The blog

  func loadPosts() async throws -> [BlogPost] {
    struct List: Decodable {
      let data: [String: [BlogPost]]
    }
    let (data, status) = try await send("GET", "/blogposts")
    try #require(status == 200)
    return try #require(try JSONDecoder().decode(List.self, from: data).data["blogposts"])
  }

  /// Sends the whole object, as `[[BlogPost mapping] inverseMapping]` writes it.
  ///
  /// - Returns: the id of the post.
  @discardableResult
  func sendPost(_ text: String) async throws -> String {
    let object: [String: Any] = ["id": NSNull(), "created": NSNull(), "creator": NSNull(), "text": text]
    let (data, status) = try await send("POST", "/blogposts", object)
    switch status {
    case 200:
      return try #require((try JSONSerialization.jsonObject(with: data) as? [String: Any])?["id"] as? String)
    case 403: throw Failure.loginIsPresented
    default: throw Failure.shows("An error occured, please try again later.")
    }
  }

  // MARK: - Accounts

  func login(_ name: String, _ password: String) async throws {
    switch try await send("POST", "/users/login", ["name": name, "password": password]).1 {
    case 200: return
    case 401: throw Failure.shows("You have entered an invalid username or password")
    default: throw Failure.shows("An error occured, please try again later")
    }
  }

  func register(_ name: String, _ password: String) async throws {
    let (_, status) = try await send("POST", "/users/register", ["name": name, "password": password])
    guard status == 200 else { throw Failure.status(status) }
  }

  func logout() async throws {
    let (_, status) = try await send("POST", "/users/logout", [:])
    guard status == 200 else { throw Failure.status(status) }
  }

  // MARK: - Requests

  func send(
    _ method: String, _ target: String, _ object: [String: Any]? = nil, fields: [String: String] = [:]
  ) async throws -> (Data, Int) {
    let json = try object.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
    var fields = fields
    fields["Accept"] = "application/json"
    if json != nil { fields["Content-Type"] = "application/json; charset=utf-8" }
    let (data, response) = try await loader.load(try URLRequest(method, origin + target, json: json, fields: fields))
    return (data, response.statusCode)
  }
}
