import Cryptography
import Platform
import TestSupport

@testable import ObjectStorage

extension ObjectStore {
  /// A store on a port of this machine, whose pauses are half as long as they may be: 50 ms, then twice as long each time.
  static func forTests(
    _ server: RawServer, base: Int64 = 60_000, threads: Int = 2, waiting: Int = 100,
    clock: RetryClock = SleepingClock().clock
  ) throws -> ObjectStore {
    var timeouts = ClientTimeouts()
    timeouts.base = base
    let settings = try ObjectStoreSettings(
      endpoint: "http://127.0.0.1:\(server.port)", bucket: "selfies", region: "eu-central-1", accessKeyID: "id",
      secretAccessKey: "secret")
    return ObjectStore(
      settings, timeouts: timeouts, threads: threads, waiting: waiting, clock: clock,
      random: RandomSource { count in [0x80] + [UInt8](repeating: 0, count: count - 1) })
  }

  @discardableResult
  func put(_ bytes: [UInt8], as key: String) async throws(ObjectStoreError) -> Bool {
    try await put(.bytes(bytes), as: key, contentType: "image/png", digest: Digest.sha256(bytes))
  }
}

extension RawServer.Reply {
  /// A range of an object.
  static func range(_ bytes: [UInt8], from offset: Int, of total: Int) -> RawServer.Reply {
    .response(206, ["Content-Range: bytes \(offset)-\(offset + bytes.count - 1)/\(total)"], body: bytes)
  }
}
