/// Compresses text to about two fifths (RFC 1951, RFC 1952). No library that the server links can do that. The codes
/// are the fixed ones: with codes of its own, a text would be a sixth smaller. `PageFile` decides which clients get
/// compressed text.
struct Gzip {
  private static let minLength = 3
  private static let maxLength = 257
  private static let maxDistance = 32_768
  /// The most earlier places to compare. With more, a text is hardly smaller.
  private static let maxCandidates = 16

  private var bytes: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
  private var pending: UInt64 = 0
  private var count = 0

  static func compressed(_ bytes: [UInt8]) -> [UInt8] {
    var output = Gzip()
    // The only block, with the fixed codes.
    output.write(0b011, bits: 3)
    // The last place of each hash of three bytes, and the one before each place.
    var last = [Int](repeating: -1, count: 1 << 15)
    var before = [Int](repeating: -1, count: bytes.count)
    var place = 0
    while place < bytes.count {
      var (candidate, length, distance) = (-1, 1, 0)
      if place <= bytes.count - minLength { candidate = last[hash(bytes, place)] }
      for _ in 0..<maxCandidates where candidate >= 0 && place - candidate <= maxDistance {
        let shared = sharedLength(bytes, candidate, place)
        if shared > length { (length, distance) = (shared, place - candidate) }
        candidate = before[candidate]
      }
      if length < minLength {
        length = 1
        output.write(symbol: Int(bytes[place]))
      } else {
        let (symbol, extra) = split(length - minLength, shift: 2)
        output.write(symbol: 257 + symbol)
        output.write((length - minLength) & ((1 << extra) - 1), bits: extra)
        let (code, bits) = split(distance - 1, shift: 1)
        output.write(code: code, bits: 5)
        output.write((distance - 1) & ((1 << bits) - 1), bits: bits)
      }
      for passed in place..<max(place, min(place + length, bytes.count - minLength + 1)) {
        let key = hash(bytes, passed)
        (before[passed], last[key]) = (last[key], passed)
      }
      place += length
    }
    output.write(symbol: 256)
    output.align()
    output.write(Int(checksum(bytes)), bits: 32)
    output.write(bytes.count & 0xffff_ffff, bits: 32)
    return output.bytes
  }

  private static func hash(_ bytes: [UInt8], _ place: Int) -> Int {
    (Int(bytes[place]) << 10 ^ Int(bytes[place + 1]) << 5 ^ Int(bytes[place + 2])) & 0x7fff
  }

  /// How many bytes are the same at two places.
  private static func sharedLength(_ bytes: [UInt8], _ first: Int, _ second: Int) -> Int {
    let limit = min(maxLength, bytes.count - second)
    return (0..<limit).first { bytes[first + $0] != bytes[second + $0] } ?? limit
  }

  /// The symbol of a number, and how many of its lowest bits follow the symbol (RFC 1951 §3.2.5).
  private static func split(_ number: Int, shift: Int) -> (symbol: Int, extra: Int) {
    let extra = number < 2 << shift ? 0 : Int.bitWidth - 1 - number.leadingZeroBitCount - shift
    return (extra << shift + number >> extra, extra)
  }

  /// CRC-32.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xedb8_8320) }
    }
  }

  /// Writes bits, the lowest first.
  private mutating func write(_ value: Int, bits: Int) {
    pending |= UInt64(value) << UInt64(count)
    count += bits
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      count -= 8
    }
  }

  /// Writes a code, whose highest bit comes first.
  private mutating func write(code: Int, bits: Int) {
    for bit in (0..<bits).reversed() { write(code >> bit & 1, bits: 1) }
  }

  /// Writes a literal, a length or the end of the block (RFC 1951 §3.2.6).
  private mutating func write(symbol: Int) {
    switch symbol {
    case ..<144: write(code: 0x30 + symbol, bits: 8)
    case ..<256: write(code: 0x190 + symbol - 144, bits: 9)
    case ..<280: write(code: symbol - 256, bits: 7)
    default: write(code: 0xc0 + symbol - 280, bits: 8)
    }
  }

  private mutating func align() {
    if count > 0 { write(0, bits: 8 - count) }
  }
}
