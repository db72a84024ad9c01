import HTTPMessages
import Platform

extension Application {
  /// A list as the response to a request.
  ///
  /// - Parameters:
  ///   - source: the rows that `write` writes. From a shared database, they are fetched once for all who ask for the same
  ///     list at the same time.
  ///   - isShort: false lets a worker make the list, so that no other request of the event loop waits for it. Rows that
  ///     were fetched tell this themselves.
  ///   - write: writes the response, and covers what it has written after each element.
  func list(
    of owner: LongList.Owner, for request: Request, from source: () async throws -> ListSource,
    isShort: () async throws -> Bool = { false },
    _ write: @escaping @Sendable (ListSource, inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> Response {
    let key = LongList.Key.list(of: owner, target: Array(request.head.target))
    guard database.file != nil else {
      return response(with: try await longLists.list(key, from: source, write), to: request)
    }
    let rows = try await source()
    if try await isShort() {
      var memory = ListMemory(longLists.reservation())
      var json = JSONWriter(capacity: 1024)
      try write(rows, &json, &memory)
      return success(json.bytes, for: request)
    }
    return response(with: try await longLists.list(key) { try write(rows, &$0, &$1) }, to: request)
  }

  /// A list that all who are sent the same share.
  func response(with list: LongList, to request: Request) -> Response {
    var response = success([], for: request, etag: list.tag)
    if response.status == .ok { response.body = list.body }
    return response
  }
}
