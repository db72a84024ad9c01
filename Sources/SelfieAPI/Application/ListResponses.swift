import HTTPMessages
import Platform

extension Application {
  /// A list as the response to a request.
  ///
  /// - Parameters:
  ///   - isShort: false lets a worker make the list, so that no other request of the event loop waits for it.
  ///   - write: writes the response, and covers what it has written after each element.
  func list(
    of owner: LongList.Owner, for request: Request, isShort: Bool = false,
    _ write: @escaping @Sendable (inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> Response {
    if isShort {
      var memory = ListMemory(longLists.reservation())
      var json = JSONWriter(capacity: 1024)
      try write(&json, &memory)
      return success(json.bytes, for: request)
    }
    return try await longList(.list(of: owner, target: Array(request.head.target)), for: request, write)
  }

  /// A list that a worker makes, and that all who are sent the same share.
  func longList(
    _ list: LongList.Key, for request: Request,
    _ write: @escaping @Sendable (inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> Response {
    let list = try await longLists.list(list, write)
    var response = success([], for: request, etag: list.tag)
    if response.status == .ok { response.body = list.body }
    return response
  }
}
