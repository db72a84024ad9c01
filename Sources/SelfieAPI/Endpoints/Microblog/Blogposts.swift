import Cryptography
import HTTPMessages
import SQL

// The endpoints of posts. `BlogpostStore` has the queries, and MicroblogCookie.swift finds the user.
extension Application {
  /// `GET /blogposts`: the newest posts, newest first: a thousand, or `limit`, after the post `before`.
  func listBlogposts(_ call: Call) async throws -> Response {
    let parameters = try await call.parameters()
    let max = try parameters.limit()
    var start = Int64.max
    if let before = try parameters.optionalText("before") {
      guard let id: Int64 = try await database.first(BlogpostStore.rowID(of: before)) else {
        throw APIError(.notFound, "There is no such post.", reason: .unknownPost)
      }
      start = id
    }
    return try await response(with: BlogpostList(start: start, maxCount: max), to: call)
  }

  /// `POST /blogposts`: publishes `text`. The app also sends `id`, `created` and `creator`, which the server decides.
  func createBlogpost(_ call: Call) async throws -> Response {
    try requireOwnPage(call.request)
    let session = try await requireMicroblogSession(call.request)
    let parameters = try await call.parameters()
    let text = try parameters.text("text")
    if let problem = Blogpost.problem(text: text) { throw APIError(.badRequest, problem) }
    let post = Blogpost(uuid: random.uuid(), userID: session.userID, text: text, createdAt: clock())
    guard try await blogposts.insert(post, ifLives: session.digest) else { throw Self.microblogSessionMissing }
    return .success(JSONWriter.object { $0.member("id", post.uuid) }, for: call.request, isConditional: false)
  }

  /// `GET /probe_status`: for load balancers.
  func probeStatus(_ call: Call) -> Response {
    Response(
      status: .ok,
      fields: ResponseFields(lines: "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-cache\r\n"),
      body: .bytes(Array("OK".utf8)))
  }
}

/// The response of `GET /blogposts`.
private struct BlogpostList: RowList {
  static let maxElementBytes = 6 * Blogpost.maxTextBytes + 4096
  static let opening: StaticString = #"{"data":{"blogposts":["#
  static let closing: StaticString = "]}}"

  let start: Int64
  let maxCount: Int64

  func rows(after id: Int64, max: Int64) -> Query { BlogpostStore.newest(before: id, max: max) }

  var version: Query { BlogpostStore.version(before: start, max: maxCount) }

  func write(_ row: borrowing some RowReader & ~Copyable, to json: inout JSONWriter) -> Int64 {
    let post = Blogpost(row)
    json.object { json in
      json.member("id", post.uuid)
      json.member("created", time: post.createdAt)
      json.member("text", post.text)
      json.member("creator", row["name"] as String)
    }
    return post.id
  }
}

extension Parameters {
  /// The parameter `limit`; a thousand if it is not sent.
  ///
  /// - Throws: 400 unless it is a number from 1 to 1,000.
  func limit() throws -> Int64 {
    let text: String
    switch self["limit"] {
    case nil, .null?: return RequestLimits.maxListLength
    case .string(let value)?, .number(let value)?: text = value
    default: text = ""
    }
    guard let number = Int64(text), (1...RequestLimits.maxListLength).contains(number) else {
      throw APIError(.badRequest, "limit must be a number from 1 to \(RequestLimits.maxListLength).")
    }
    return number
  }
}
