import Foundation
import Platform
import TestSupport
import Testing

/// What the Microblog app sends by RestKit, which keeps its cookie. `microblog.http` has the rest.
final class MicroblogApp: Sendable {
  private let origin: String
  private let cookie = Monitor<String?>(nil)

  init(_ origin: String) {
    self.origin = origin
  }

  func register(_ name: String, _ password: String) async throws {
    _ = try await send("POST", "/users/register", ["name": name, "password": password])
  }

  func login(_ name: String, _ password: String) async throws {
    _ = try await send("POST", "/users/login", ["name": name, "password": password])
  }

  /// Sends the whole object, as `[[BlogPost mapping] inverseMapping]` writes it.
  ///
  /// - Returns: the id of the post.
  func sendPost(_ text: String) async throws -> String {
    let nothing = NSNull()
    let post = try await send(
      "POST", "/blogposts", ["id": nothing, "created": nothing, "creator": nothing, "text": text])
    return try #require(post["id"] as? String)
  }

  /// The ids of all posts.
  func loadPosts() async throws -> [String] {
    let lists = try await send("GET", "/blogposts")["data"] as? [String: [[String: Any]]]
    return try #require(lists?["blogposts"]).compactMap { $0["id"] as? String }
  }

  private func send(_ method: String, _ target: String, _ object: [String: Any]? = nil) async throws -> [String: Any] {
    let json = try object.map { String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self) }
    let cookies = cookie.withLock { $0 }.map { ["Cookie: \($0)"] } ?? []
    let response = try await RawClient.response(
      to: AppRequest(
        method, target, ["Content-Type: application/json"] + cookies, body: Array((json ?? "").utf8)), at: origin)
    try #require(response.status == 200)
    if let set = response["set-cookie"] { cookie.withLock { $0 = String(set.prefix { $0 != ";" }) } }
    return try #require(response.object)
  }
}
