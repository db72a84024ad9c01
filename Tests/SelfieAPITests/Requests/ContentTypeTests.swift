import APITestSupport
import Testing

@testable import SelfieAPI

/// What a photo is, by its first bytes.
@Suite struct ContentTypeTests {
  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// - Parameter compatible: brands, of four letters each.
  private static func iso(_ brand: String, _ compatible: String = "", after: String = "") -> [UInt8] {
    [0, 0, 0, UInt8(16 + compatible.utf8.count)] + text("ftyp\(brand)\0\0\0\0\(compatible)\(after)")
  }

  private static let jxl: [UInt8] = [0, 0, 0, 12] + text("JXL \r\n") + [0x87, 0x0a]

  @Test(
    arguments: [
      (Samples.png, "image/png"), (Samples.jpeg, "image/jpeg"), (text("GIF87a"), "image/gif"),
      (text("GIF89a..."), "image/gif"), (text("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 "), "image/webp"),
      (iso("heic"), "image/heic"), (iso("heix"), "image/heic"), (iso("heic", "mif1avif"), "image/heic"),
      (iso("mif1"), "image/heif"), (iso("mif1", "heicmiaf"), "image/heif"), (iso("mif2"), "image/heif"),
      (iso("miaf", "mif1"), "image/heif"), (iso("mif1", "heic", after: "avif"), "image/heif"),
      (iso("avif"), "image/avif"), (iso("mif1", "mif1avifmiaf"), "image/avif"),
      (iso("msf1", "miafavis"), "image/avif"), (iso("miaf", "avif"), "image/avif"),
      (iso("mif1", "miafmif1MA1Biso8mp41avif", after: "x"), "image/avif"),
      ([0x49, 0x49, 0x2a, 0x00, 8], "image/tiff"), ([0x4d, 0x4d, 0x00, 0x2a, 0], "image/tiff"),
      (text("BM\u{10}\0\0\0\0\0\0\0\u{36}"), "image/bmp"),
      (text("BM\u{10}\0\0\0\u{1}\u{2}\u{7f}\u{4}\u{36}"), "image/bmp"),
      ([0, 0, 1, 0, 1, 0, 16, 16], "image/x-icon"), ([0xff, 0x0a, 0xfa], "image/jxl"), (jxl, "image/jxl"),
    ] as [([UInt8], String)])
  func images(_ bytes: [UInt8], _ name: String) {
    let type = ContentType(beginning: bytes)
    #expect(type.name == name)
    #expect(type.isImage)
  }

  @Test(
    arguments: [
      [], [0x89], Array(Samples.png.prefix(7)), [0xff, 0xd8], text("GIF88a"), text("RIFF....WAVE"), iso("isom"),
      iso("isom", "avifmif1"), iso("qt  "), text("ftypheic"), text("BMW is a car"), text("BM"), Samples.page,
      text("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), text("<?xml version=\"1.0\"?><svg/>"), text("%PDF-1.7"),
      text(" ") + Samples.png, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0xff, 0x0b],
      Array(jxl.prefix(11)), [0, 0, 2, 0],
    ] as [[UInt8]])
  func `everything else is bytes to download`(_ bytes: [UInt8]) {
    let type = ContentType(beginning: bytes)
    #expect(type == .unknown)
    #expect(type.name == "application/octet-stream")
    #expect(!type.isImage)
  }
}
