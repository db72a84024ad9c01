import HTTPMessages
import Platform

// The endpoints for monitoring. `Readiness` tries out the storage.
extension Application {
  /// `GET /up`: 200 while the process runs.
  func health(_ request: Request, id: ArraySlice<UInt8>? = nil) -> Response {
    .success(Self.up.json, for: request, etag: Self.up.tag)
  }

  private static let up = {
    let json = JSONWriter.object { $0.member("status", "up") }
    return (json: json, tag: ETag(of: json))
  }()

  /// `GET /readyz`: 200 while the server can store what it accepts; otherwise 503 with the cause.
  func readiness(_ call: Call) async throws -> Response {
    if let failure = await readiness.failure() {
      throw APIError(.serviceUnavailable, failure.message, reason: .notReady)
    }
    let details = readiness.details.withLock { $0 }
    var json = JSONWriter()
    try json.object { json in
      json.member("status", "ready")
      for write in details { try write(&json) }
    }
    return Response(status: .ok, fields: .uncachedJSON, body: .bytes(json.bytes))
  }

  /// Adds a member to the response of `/readyz`. Anybody may read it.
  package func addToReadiness<Value: Encodable & SendableMetatype>(
    _ name: StaticString, _ value: @escaping @Sendable () -> Value
  ) {
    readiness.details.withLock { details in
      details.append { json in
        json.key(name)
        json.written(try JSONWriter.encode(value(), writesNull: true))
      }
    }
  }
}
