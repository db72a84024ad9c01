import Glibc
import HTTPMessages
import HTTPServer
import Measuring
import Platform

/// A server whose handler keeps memory that it has not reserved, as a part of the product would that forgets to count.
/// Only the governor bounds what its clients can make it hold.
///
/// It responds to each POST after five seconds, and keeps BYTES until then. Everything else is answered at once. bin/crowd
/// starts it for `memory-waves`. By hand: `unreserved-memory LIMIT BYTES`, where LIMIT is its MEMORY_LIMIT.
@main
struct UnreservedMemory {
  static func main() throws {
    let arguments = arguments("unreserved-memory LIMIT BYTES")
    let (limit, bytes) = (number(arguments[0]), number(arguments[1]))
    signal(SIGPIPE, SIG_IGN)
    returnLargeAllocations()
    try raiseDescriptorLimit()
    let memory = MemoryBudget(limit: limit)
    let governor = MemoryGovernor(of: memory)
    let listener = try Listener(host: "127.0.0.1", port: 0)
    let server = try Server(
      listener: listener, memory: memory,
      responder: Responder(
        reply: { request in
          guard request.head.method == .post else { return .now(response(.ok)) }
          return .later { await keep(bytes, for: request) }
        }, refuse: { status, _, _ in response(status) }))
    try governor.start()
    try server.start()
    print("Listening on http://127.0.0.1:\(listener.port)")
    fflush(nil)
    while true { pause() }
  }

  private static func keep(_ bytes: Int, for request: Request) async -> Response {
    guard (try? await request.body.collect(upTo: 1024)) != nil else { return response(.serviceUnavailable) }
    let kept = [UInt8](repeating: 1, count: bytes)
    try? await Task.sleep(for: .seconds(5))
    return response(kept.isEmpty ? .notFound : .ok)
  }

  private static func response(_ status: Status) -> Response { Response(status: status) }
}
