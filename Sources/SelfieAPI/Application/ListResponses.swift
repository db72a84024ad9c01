import HTTPMessages
import Platform
import SQL

extension Application {
  /// A list as the response to a request.
  ///
  /// - Parameters:
  ///   - source: the rows that `write` writes.
  ///   - isShort: false lets a worker make the list, so that no other request of the event loop waits for it.
  ///   - write: writes the response, and covers what it has written after each element.
  func list(
    _ source: ListSource, of owner: LongList.Owner, for request: Request, isShort: Bool = false,
    _ write: @escaping @Sendable (inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> Response {
    if isShort {
      var memory = ListMemory(longLists.reservation())
      var json = JSONWriter(capacity: 1024)
      try write(&json, &memory)
      return success(json.bytes, for: request)
    }
    let key = LongList.Key.list(of: owner, target: Array(request.head.target))
    return try await longList(key, of: source.fetched, for: request, write)
  }

  /// A list that a worker makes, and that all who are sent the same share.
  ///
  /// - Parameter rows: what was fetched for this request; nil if `write` reads a file.
  func longList(
    _ key: LongList.Key, of rows: Rows? = nil, for request: Request,
    _ write: @escaping @Sendable (inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> Response {
    let list =
      if let rows {
        try await longLists.list(of: key.owner, rowBytes: rows.byteCount, write)
      } else {
        try await longLists.list(key, write)
      }
    var response = success([], for: request, etag: list.tag)
    if response.status == .ok { response.body = list.body }
    return response
  }
}
