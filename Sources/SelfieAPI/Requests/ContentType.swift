/// The type of a photo, by its first bytes. What the client says about the type is ignored: a page or a script must never
/// be shown under the server's name.
package struct ContentType: Equatable {
  package let name: String

  /// How many bytes of a file ``init(beginning:)`` needs.
  package static let neededBytes = 32

  package static let unknown = ContentType(name: "application/octet-stream")

  /// Whether a browser shows it inline. It offers anything else as a download.
  package var isImage: Bool { name.hasPrefix("image/") }

  package init(name: String) {
    self.name = name
  }

  package init(beginning bytes: [UInt8]) {
    func has(_ signature: [UInt8], at offset: Int = 0) -> Bool {
      bytes.count >= offset + signature.count && bytes[offset..<(offset + signature.count)].elementsEqual(signature)
    }
    func has(_ signature: String, at offset: Int = 0) -> Bool { has(Array(signature.utf8), at: offset) }

    if has([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      self.init(name: "image/png")
    } else if has([0xff, 0xd8, 0xff]) {
      self.init(name: "image/jpeg")
    } else if has("GIF87a") || has("GIF89a") {
      self.init(name: "image/gif")
    } else if has("RIFF") && has("WEBP", at: 8) {
      self.init(name: "image/webp")
    } else if has("ftyp", at: 4), let type = Self.isoImage(brand: bytes.dropFirst(8).prefix(4)) {
      self = type
    } else if has([0x49, 0x49, 0x2a, 0x00]) || has([0x4d, 0x4d, 0x00, 0x2a]) {
      self.init(name: "image/tiff")
    } else if has("BM") && has([0, 0, 0, 0], at: 6) {
      self.init(name: "image/bmp")
    } else {
      self = .unknown
    }
  }

  /// The types of images in ISO base media files (ISO/IEC 23008-12, and AV1's).
  private static func isoImage(brand: ArraySlice<UInt8>) -> ContentType? {
    switch String(decoding: brand, as: UTF8.self) {
    case "heic", "heix", "heim", "heis": ContentType(name: "image/heic")
    case "mif1", "msf1": ContentType(name: "image/heif")
    case "avif", "avis": ContentType(name: "image/avif")
    default: nil
    }
  }
}
