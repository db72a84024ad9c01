import Cryptography
import Foundation

/// Makes PNG files (ISO/IEC 15948) of random pixels, which no compression could make smaller.
enum PNG {
  /// A picture of red, green and blue, eight bits each.
  static func random(width: Int, height: Int) -> Data {
    let pixels = RandomSource.system.bytes(3 * width * height)
    var scanlines: [UInt8] = []
    scanlines.reserveCapacity(pixels.count + height)
    for row in 0..<height {
      // Filter type 0: as they are.
      scanlines.append(0)
      scanlines += pixels[(3 * width * row)..<(3 * width * (row + 1))]
    }
    let formats: [UInt8] = [8, 2, 0, 0, 0]
    let header: [UInt8] = bytes(UInt32(width)) + bytes(UInt32(height)) + formats
    let signature = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    let chunks: [Data] = [chunk("IHDR", header), chunk("IDAT", zlib(scanlines)), chunk("IEND", [])]
    return chunks.reduce(signature, +)
  }

  private static func chunk(_ type: String, _ data: [UInt8]) -> Data {
    let typed = Array(type.utf8) + data
    return Data(bytes(UInt32(data.count)) + typed + bytes(crc(typed)))
  }

  /// A zlib stream (RFC 1950) of stored blocks (RFC 1951 §3.2.4).
  private static func zlib(_ data: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    stream.reserveCapacity(data.count + data.count / 1000)
    for start in stride(from: 0, to: data.count, by: 65_535) {
      let block = data[start..<min(start + 65_535, data.count)]
      let length = UInt16(block.count)
      stream.append(block.endIndex == data.count ? 1 : 0)
      stream += [UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)]
      stream += block
    }
    return stream + bytes(adler(data))
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// The table of ISO/IEC 15948, annex D.
  private static let crcTable: [UInt32] = (UInt32(0)..<256).map { index in
    var value = index
    for _ in 0..<8 {
      let isOdd = value & 1 == 1
      value >>= 1
      if isOdd { value ^= 0xedb8_8320 }
    }
    return value
  }

  private static func crc(_ data: [UInt8]) -> UInt32 {
    crcTable.withUnsafeBufferPointer { table in
      var value = UInt32.max
      for byte in data { value = table[Int((value ^ UInt32(byte)) & 255)] ^ (value >> 8) }
      return ~value
    }
  }

  /// RFC 1950 §8.2.
  private static func adler(_ data: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    // So many bytes cannot overflow the sums.
    for start in stride(from: 0, to: data.count, by: 5_552) {
      for byte in data[start..<min(start + 5_552, data.count)] {
        low &+= UInt32(byte)
        high &+= low
      }
      low %= 65_521
      high %= 65_521
    }
    return high << 16 | low
  }
}
