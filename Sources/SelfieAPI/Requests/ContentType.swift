/// The type of a photo, by its first bytes. What the client says about the type is ignored: a page or a script must
/// never be shown under the server's name. The type of a request's body is its `BodyKind` in HTTPMessages.
package struct ContentType: Equatable {
  package let name: String

  /// How many bytes of a file ``init(beginning:)`` looks at: the brands of the first box of an AVIF image are most.
  package static let neededBytes = 128

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
    } else if has("ftyp", at: 4), let type = Self.isoImage(bytes) {
      self = type
    } else if has([0xff, 0x0a]) || has([0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a]) {
      self.init(name: "image/jxl")
    } else if has([0x49, 0x49, 0x2a, 0x00]) || has([0x4d, 0x4d, 0x00, 0x2a]) {
      self.init(name: "image/tiff")
    } else if has("BM"), bytes.count > 5, bytes[5] < 0x20 {
      // The highest byte of its length is a letter in a text that happens to begin with BM.
      self.init(name: "image/bmp")
    } else if has([0, 0, 1, 0]) {
      // As in WHATWG's MIME Sniffing.
      self.init(name: "image/x-icon")
    } else {
      self = .unknown
    }
  }

  /// The types of images in ISO base media files (ISO/IEC 23008-12, and AV1's), by the major brand of the first box and,
  /// where that says nothing about the coding, by the compatible brands.
  private static func isoImage(_ bytes: [UInt8]) -> ContentType? {
    let end = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    let brands = stride(from: 8, to: min(max(12, end), bytes.count), by: 4).map {
      String(decoding: bytes[$0...].prefix(4), as: UTF8.self)
    }
    switch brands.first {
    case "heic", "heix", "heim", "heis": return ContentType(name: "image/heic")
    case "avif", "avis": return ContentType(name: "image/avif")
    case "mif1", "mif2", "msf1", "miaf":
      // The second is a version.
      let isAVIF = brands.dropFirst(2).contains { $0 == "avif" || $0 == "avis" }
      return ContentType(name: isAVIF ? "image/avif" : "image/heif")
    default: return nil
    }
  }
}
