import SelfieAPI

/// What is known of a photo's bytes.
struct PhotoContent: Sendable, Equatable {
  let sha256: [UInt8]
  let byteCount: Int64
  let type: ContentType
}
