import HTTPMessages
import Platform

extension Application {
  /// A list as the response to a request.
  ///
  /// - Parameters:
  ///   - isShort: false lets a worker make the list, so that no other request of the event loop waits for it.
  ///   - write: writes the response, and covers what it has written after each element.
  func list(
    of owner: ListsInFlight.Owner, for request: Request, isShort: Bool = false,
    _ write: @escaping @Sendable (inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> Response {
    let reservation = listsInFlight.reservation()
    let make = { @Sendable () throws -> ([UInt8], ETag) in
      var memory = ListMemory(reservation)
      var json = JSONWriter(capacity: 1024)
      try write(&json, &memory)
      let bytes = json.bytes
      return (bytes, ETag(of: bytes))
    }
    // Clients that have gone need no list.
    let (json, tag) = isShort ? try make() : try await lists.runUnlessCancelled(make)
    guard json.count >= ListsInFlight.minBytes else { return success(json, for: request, etag: tag) }
    return try share(json, tag: tag, for: request, of: owner, reservation)
  }

  /// A long list, of which all who are sent the same share the bytes.
  func share(
    _ json: [UInt8], tag: ETag, for request: Request, of owner: ListsInFlight.Owner, _ reservation: MemoryReservation
  ) throws -> Response {
    var response = success(json, for: request, etag: tag)
    if response.status == .ok {
      response.body = .shared(try listsInFlight.share(json, tag: tag, of: owner, reservation))
    }
    return response
  }
}
