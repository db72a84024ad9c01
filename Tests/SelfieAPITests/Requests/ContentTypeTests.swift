import APITestSupport
import Testing

@testable import SelfieAPI

/// What a photo is, by its first bytes.
@Suite struct ContentTypeTests {
  private static func iso(_ brand: String) -> [UInt8] { [0, 0, 0, 0x18] + Array("ftyp\(brand)".utf8) + [0, 0, 0, 0] }

  @Test(arguments: [
    (Samples.png, "image/png"), (Samples.jpeg, "image/jpeg"), (Array("GIF87a".utf8), "image/gif"),
    (Array("GIF89a...".utf8), "image/gif"), (Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8), "image/webp"),
    (iso("heic"), "image/heic"), (iso("heix"), "image/heic"), (iso("mif1"), "image/heif"), (iso("avif"), "image/avif"),
    ([0x49, 0x49, 0x2a, 0x00, 8], "image/tiff"), ([0x4d, 0x4d, 0x00, 0x2a, 0], "image/tiff"),
    (Array("BM".utf8) + [0x10, 0, 0, 0, 0, 0, 0, 0, 0x36], "image/bmp"),
  ])
  func images(_ bytes: [UInt8], _ name: String) {
    let type = ContentType(beginning: bytes)
    #expect(type.name == name)
    #expect(type.isImage)
  }

  @Test(arguments: [
    [], [0x89], Array(Samples.png.prefix(7)), [0xff, 0xd8], Array("GIF88a".utf8), Array("RIFF....WAVE".utf8),
    iso("isom"), iso("qt  "), Array("ftypheic".utf8), Array("BMW is a car".utf8), Samples.page,
    Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), Array("<?xml version=\"1.0\"?><svg/>".utf8),
    Array("%PDF-1.7".utf8), Array(" ".utf8) + Samples.png, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  ])
  func `everything else is bytes to download`(_ bytes: [UInt8]) {
    let type = ContentType(beginning: bytes)
    #expect(type == .unknown)
    #expect(type.name == "application/octet-stream")
    #expect(!type.isImage)
  }
}
