import HTTPMessages

/// The response to an owner's command.
struct OwnerResponse {
  let status: Int
  /// How many elements there are in all, of which a list may have only the first.
  let total: Int?
  /// Calls its argument with the body, a chunk at a time. To be called once.
  let forEachChunk: ((ArraySlice<UInt8>) throws -> Void) throws -> Void

  /// The whole body.
  func body() throws -> [UInt8] {
    var body: [UInt8] = []
    try forEachChunk { body += $0 }
    return body
  }
}

/// Where the owner's commands are carried out.
protocol OwnerEndpoint {
  func send(_ request: Request) throws -> OwnerResponse
}
