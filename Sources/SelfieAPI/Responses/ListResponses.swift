import HTTPMessages
import Logging
import Platform

// Sends a list. RowList.swift in Lists reads its pages.
extension Application {
  /// A list as the response to a request: as a whole if it is short, and page by page if it is long.
  ///
  /// - Parameters:
  ///   - isLong: whether the list is known to have several pages. Then the first one is made once; otherwise it is made
  ///     again, after the version for the ETag: no page may be older than that.
  ///   - userID: the user who asks; nil if anybody may.
  func response<List: RowList>(
    with list: List, isLong: Bool = false, to call: Call, by userID: Int64? = nil
  ) async throws -> Response {
    let flow = call.client.flow(orOf: userID)
    if !isLong {
      let first = try await database.firstPage(of: list, flow: flow)
      if first.end.isAtEnd { return .success(first.json, for: call.request) }
    }
    let version = try await database.version(of: list, by: lists, flow: flow)
    let tag = version?.tag(list.context, now: clock())
    if let tag, tag.matches(call.request) { return .notModified(tag) }
    return Response(status: .ok, fields: .revalidatedJSON(tag), body: .pages(pages(of: list, flow)))
  }

  private func pages<List: RowList>(of list: List, _ flow: Flow) -> BodyStream {
    let position = Monitor(ListPosition(startOf: list))
    return BodyStream { [database, lists, memory] _, _ in
      let start = position.withLock { $0 }
      guard !start.isAtEnd else { return [] }
      let room = MemoryReservation(of: memory)
      defer { withExtendedLifetime(room) {} }
      let page = try await database.page(of: list, after: start, within: room, by: lists, flow: flow)
      position.withLock { $0 = page.end }
      return page.json
    } ended: { [logger] failure in
      guard let failure else { return }
      logger.warning("a list was not sent completely", metadata: ["error": "\(failure)"])
    }
  }
}
