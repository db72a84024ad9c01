import HTTPMessages
import Platform

extension Application {
  /// A list as the response to a request: as a whole if it is short, and page by page if it is long.
  ///
  /// If there are more pages than the first, it is read again, after the version for the ETag: no page may be older than
  /// that.
  ///
  /// - Parameter userID: the user who asks; nil if anybody may.
  func response<List: RowList>(
    with list: List, to request: Request, by userID: Int64? = nil
  ) async throws -> Response {
    let first = try await database.firstPage(of: list, turn: turn(of: request, by: userID))
    if first.end.isAtEnd { return success(first.json, for: request) }
    return try await longResponse(with: list, to: request, turn(of: request, by: userID))
  }

  private func longResponse<List: RowList>(
    with list: List, to request: Request, _ turn: Turn
  ) async throws -> Response {
    let version = try await database.version(of: list, by: lists, turn: turn)
    let tag = version?.tag(list.context, now: clock())
    if let tag, tag.matches(request) { return notModified(tag) }
    return Response(status: .ok, fields: .revalidatedJSON(tag), body: .pages(pages(of: list, turn)))
  }

  private func pages<List: RowList>(of list: List, _ turn: Turn) -> BodyStream {
    let position = Monitor(ListPosition(startOf: list))
    return BodyStream { [database, lists] _, _ in
      let start = position.withLock { $0 }
      guard !start.isAtEnd else { return [] }
      let page = try await database.page(of: list, after: start, by: lists, turn: turn)
      position.withLock { $0 = page.end }
      return page.json
    } ended: { [logger] failure in
      guard let failure else { return }
      logger.warning("a list was not sent to its end", metadata: ["error": "\(failure)"])
    }
  }

  /// The turn of a user, or of anybody if nil.
  func turn(of request: Request, by userID: Int64?) -> Turn {
    // Pages take turns with what asks for single rows.
    Turn(kind: 1, client: Client.number(of: request, trusting: settings.trustedProxies, orOf: userID))
  }
}
