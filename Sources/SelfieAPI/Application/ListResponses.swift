import HTTPMessages
import Platform
import SQL
import SQLite

extension Application {
  /// A list as the response to a request: as a whole if it is short, and page by page if it is long.
  ///
  /// - Parameter userID: the user who asks; nil if anybody may.
  func response<List: RowList>(
    with list: List, to request: Request, by userID: Int64? = nil
  ) async throws -> Response {
    let start = ListPosition(startOf: list)
    let first: ListPage<List.Key>
    switch database {
    case .file(let file): first = try ListPage.read(list, after: start, from: file)
    case .shared(let shared):
      first = try await pageFetches.run(turn(of: request, by: userID)) {
        try await ListPage.read(list, after: start, from: shared)
      }
    }
    return try await response(with: list, first: first, to: request, by: userID)
  }

  /// - Parameter first: the first page of the list. If there are more, it is read again, after the version for the ETag:
  ///   no page may be older than that.
  func response<List: RowList>(
    with list: List, first: ListPage<List.Key>, to request: Request, by userID: Int64?
  ) async throws -> Response {
    guard !first.end.isAtEnd else { return success(first.json, for: request) }
    let turn = turn(of: request, by: userID)
    let version: ListVersion? = try await read(turn) { file in
      try file.read { try $0.first(list.version) { ListVersion($0, from: 0) } }
    } shared: {
      try await $0.first(list.version)
    }
    let tag = version?.tag(list.context, now: clock())
    if let tag, tag.matches(request) { return notModified(tag) }
    return Response(status: .ok, fields: .revalidatedJSON(tag), body: .pages(pages(of: list, turn)))
  }

  private func pages<List: RowList>(of list: List, _ turn: Turn) -> BodyStream {
    let position = Monitor(ListPosition(startOf: list))
    return BodyStream { [self] _, _ in
      let start = position.withLock { $0 }
      guard !start.isAtEnd else { return [] }
      let page = try await read(turn) { file in
        try ListPage.read(list, after: start, from: file)
      } shared: {
        try await ListPage.read(list, after: start, from: $0)
      }
      position.withLock { $0 = page.end }
      return page.json
    } ended: { [logger] failure in
      guard let failure else { return }
      logger.warning("a list was not sent to its end", metadata: ["error": "\(failure)"])
    }
  }

  /// Reads in turns by client: from a file on a worker, from a shared database a few at a time.
  private func read<Result: Sendable>(
    _ turn: Turn, file: @escaping @Sendable (Database) throws -> Result,
    shared: (SharedDatabase) async throws -> Result
  ) async throws -> Result {
    switch database {
    case .file(let database): try await lists.runUnlessCancelled(turn: turn) { try file(database) }
    case .shared(let database): try await pageFetches.run(turn) { try await shared(database) }
    }
  }

  private func turn(of request: Request, by userID: Int64?) -> Turn {
    Turn(client: Client.number(of: request, trusting: settings.trustedProxies, orOf: userID))
  }
}
