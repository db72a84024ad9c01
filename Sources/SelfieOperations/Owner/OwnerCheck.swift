import HTTPMessages
import Platform
import SelfieAPI

extension OwnerConsole {
  private static let maxFindings = 100

  /// The findings of a check that does not read the photos. What could not be checked has no kind.
  func check() async throws -> OwnerReply {
    let findings = Monitor<[[UInt8]]>([])
    var check = StorageCheck(storage: try requireFolder(), now: application.clock(), isServed: { true }) { event in
      let object: [UInt8]
      switch event {
      case .issue(let issue): object = issue.json
      case .failure(let text): object = JSONWriter.object { $0.member("message", text) }
      case .remark, .progress: return
      }
      findings.withLock { if $0.count < Self.maxFindings { $0.append(object) } }
    }
    check.readsPhotos = false
    check.maxPhotoBytes = application.settings.maxPhotoBytes
    let counts = await withTaskExecutorPreference(try requireServer().slowWork) { [check] in await check.run() }
    let objects = findings.withLock { $0.joined(separator: Array(",".utf8)) }
    return OwnerReply(
      Array("[".utf8) + objects + Array("]".utf8), total: Int64(counts.findings + counts.failures))
  }

  /// The folder of a server that keeps everything in it.
  func requireFolder() throws -> String {
    guard let layout = application.photos.bytes.layout else {
      throw APIError(
        .conflict,
        "This server is part of a cluster. Run selfie-server doctor; the tools of PostgreSQL and the object store back it up."
      )
    }
    return layout.folder
  }
}
