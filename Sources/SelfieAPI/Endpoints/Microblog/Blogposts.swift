import HTTPMessages

extension Application {
  /// `GET /blogposts`: the newest posts, newest first: a thousand, or `limit`, behind the post `before`.
  func listBlogposts(_ call: Call) async throws -> Response {
    let parameters = try await call.parameters()
    let max = try parameters.limit()
    let before = try parameters.optionalText("before")
    // A thousand posts can have ten megabytes, which would hold up an event loop.
    return try await microblogList("blogposts", for: call.request) {
      guard let posts = try await blogposts.newest(before: before, max: max) else { throw Self.blogpostNotFound }
      return posts
    } _: { posts, json, memory in
      try posts.forEach(BlogpostStore.Entry.self) { post in
        json.object { post.write(to: &$0) }
        try memory.cover(json.count)
      }
    }
  }

  /// `{"data":{NAME:[…]}}`, by a worker.
  func microblogList(
    _ name: StaticString, for request: Request, from source: () async throws -> ListSource,
    _ elements: @escaping @Sendable (ListSource, inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> Response {
    try await list(of: .everybody, for: request, from: source) { source, json, memory in
      try json.object { json in
        json.key("data")
        try json.object { json in
          json.key(name)
          try json.array { try elements(source, &$0, &memory) }
        }
      }
    }
  }

  /// `POST /blogposts`: publishes `text`. The app also sends `id`, `created` and `creator`, which the server decides.
  func createBlogpost(_ call: Call) async throws -> Response {
    try requireOwnPage(call.request)
    let session = try await requireMicroblogSession(call.request)
    let parameters = try await call.parameters()
    guard parameters["text"].isPresent else { throw APIError.parametersMissing }
    let text = try parameters.text("text")
    if let problem = Blogpost.problem(text: text) { throw APIError(.badRequest, problem) }
    let post = Blogpost(uuid: random.uuid(), userID: session.userID, text: text, createdAt: clock())
    do {
      guard try await blogposts.insert(post, ifLives: session.digest) else { throw Self.microblogSessionMissing }
    } catch is BlogpostsFull {
      throw APIError(
        .insufficientStorage, "An account has at most \(Blogpost.maxPerUser) posts.", reason: "too_many_posts")
    }
    return success(JSONWriter.object { $0.member("id", post.uuid) }, for: call.request, isConditional: false)
  }

  /// `GET /probe_status`: for load balancers.
  func probeStatus(_ call: Call) -> Response {
    Response(
      status: .ok,
      fields: ResponseFields(lines: "Content-Type: text/plain; charset=utf-8\r\nCache-Control: no-cache\r\n"),
      body: .bytes(Array("OK".utf8)))
  }

  private static let blogpostNotFound = APIError(.notFound, "There is no such post.", reason: "unknown_post")
}

extension BlogpostStore.Entry {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("id", uuid)
    json.member("created", time: createdAt)
    json.member("text", text)
    json.member("creator", creator)
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
