import Foundation
import FoundationNetworking
import Testing

/// What the Microblog app does by RestKit, less its views. Its URLSession keeps the cookies, as RestKit's did.
final class MicroblogApp: Sendable {
  private let address: String
  private let loader = Loader()

  init(_ address: String) {
    self.address = address
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
    case status(Int, message: String?)
  }

  // MARK: - The blog

  func loadPosts(_ query: String = "") async throws -> [BlogPost] {
    struct List: Decodable {
      struct Posts: Decodable { let blogposts: [BlogPost] }
      let data: Posts
    }
    let (data, status) = try await send("GET", "/blogposts\(query)")
    try #require(status == 200)
    return try JSONDecoder().decode(List.self, from: data).data.blogposts
  }

  /// Sends the whole object, as `[[BlogPost mapping] inverseMapping]` writes it.
  ///
  /// - Returns: the id of the post.
  @discardableResult
  func sendPost(_ text: String, id: String? = nil, creator: String? = nil) async throws -> String {
    struct Reply: Decodable { let id: String }
    let object: [String: Any] = [
      "id": id ?? NSNull(), "created": NSNull(), "creator": creator ?? NSNull(), "text": text,
    ]
    let (data, status) = try await send("POST", "/blogposts", object)
    switch status {
    case 200: return try JSONDecoder().decode(Reply.self, from: data).id
    case 403: throw Failure.loginIsPresented
    default: throw Failure.shows("An error occured, please try again later.")
    }
  }

  // MARK: - Accounts

  func login(_ name: String, _ password: String) async throws {
    let (_, status) = try await send("POST", "/users/login", ["name": name, "password": password])
    switch status {
    case 200: return
    case 401: throw Failure.shows("You have entered an invalid username or password")
    default: throw Failure.shows("An error occured, please try again later")
    }
  }

  func register(_ name: String, _ password: String) async throws {
    try await expectSuccess("/users/register", ["name": name, "password": password])
  }

  func logout() async throws {
    try await expectSuccess("/users/logout", [:])
  }

  func users() async throws -> [String] {
    struct List: Decodable {
      struct User: Decodable { let name: String }
      struct Users: Decodable { let users: [User] }
      let data: Users
    }
    let (data, status) = try await send("GET", "/users")
    guard status == 200 else { throw Self.failure(status, data) }
    return try JSONDecoder().decode(List.self, from: data).data.users.map(\.name)
  }

  private func expectSuccess(_ path: String, _ object: [String: Any]) async throws {
    let (data, status) = try await send("POST", path, object)
    guard status == 200 else { throw Self.failure(status, data) }
    #expect(String(decoding: data, as: UTF8.self) == #"{"status":"success"}"#)
  }

  private static func failure(_ status: Int, _ data: Data) -> Failure {
    let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
    #expect(object?["status"] as? String == "failed")
    return .status(status, message: object?["message"] as? String)
  }

  // MARK: - Requests

  func send(
    _ method: String, _ target: String, _ object: [String: Any]? = nil, fields: [String: String] = [:]
  ) async throws -> (Data, Int) {
    var request = URLRequest(url: try #require(URL(string: address + target)))
    request.httpMethod = method
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    if let object {
      request.setValue("application/json; charset=utf-8", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONSerialization.data(withJSONObject: object)
    }
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await loader.load(request)
    return (data, response.statusCode)
  }
}
