import Cryptography
import SelfieTestDocuments

extension Seed.Photo {
  package init(
    _ bytes: [UInt8], title: String? = nil, name: String? = nil, randomID: String? = nil,
    createdAt: TestInstant? = nil
  ) {
    self.init(
      base64: Base64.encode(bytes), title: title, name: name, randomID: randomID, createdAt: createdAt)
  }
}
