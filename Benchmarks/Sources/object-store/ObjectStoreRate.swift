import Cryptography
import Glibc
import Measuring
import ObjectStorage
import Platform

/// Puts or gets one object for each of some clients again and again, through ObjectStore or by a bare loop of libcurl.
///
/// Prints how many requests there were per second, and the microseconds of processor time of each.
@main
struct ObjectStoreRate {
  static func main() async throws {
    // As the server does.
    returnLargeAllocations()
    let arguments = arguments(
      "object-store ENDPOINT BUCKET REGION ID SECRET selfie-server|libcurl|libcurl-keeping put|get BYTES CLIENTS "
        + "SECONDS")
    let settings = try ObjectStoreSettings(
      endpoint: arguments[0], bucket: arguments[1], region: arguments[2], accessKeyID: arguments[3],
      secretAccessKey: arguments[4])
    let content = (0..<number(arguments[7])).map { _ in UInt8.random(in: 0...255) }
    let (clients, seconds) = (number(arguments[8]), Double(number(arguments[9])))
    let digest = Digest.sha256(content)

    // What is got must be there.
    let store = ObjectStore(settings, threads: clients)
    for client in 0..<clients {
      try await store.put(.bytes(content), as: key(client), contentType: "image/jpeg", digest: digest)
    }
    let isPut = arguments[6] == "put"
    let (start, processorTime) = (monotonicSeconds(), processorSeconds())
    let deadline = start + seconds
    let count: Int
    if arguments[5] == "selfie-server" {
      count = try await requests(of: store, clients, isPut, content, digest, until: deadline)
    } else {
      let loop = BareLoop(settings, content, digest, isPut: isPut, keeps: arguments[5] == "libcurl-keeping")
      count = try loop.requests(clients, until: deadline)
    }
    let rate = Double(count) / (monotonicSeconds() - start)
    print(decimals(rate, 2), decimals((processorSeconds() - processorTime) / Double(count) * 1e6, 1))
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func key(_ client: Int) -> String { "photos/\(client)" }

  private static func requests(
    of store: ObjectStore, _ clients: Int, _ isPut: Bool, _ content: [UInt8], _ digest: [UInt8], until deadline: Double
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for client in 0..<clients {
        group.addTask {
          var count = 0
          while monotonicSeconds() < deadline {
            if isPut {
              try await store.put(.bytes(content), as: key(client), contentType: "image/jpeg", digest: digest)
            } else {
              var received = 0
              while received < content.count {
                let end = min(content.count, received + ObjectStore.maxPieceBytes)
                received += try await store.get(key(client), Int64(received)..<Int64(end)).count
              }
            }
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
  }
}
