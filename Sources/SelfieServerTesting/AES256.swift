import Foundation

/// The encryption of the AESCrypt libraries, by which the app sends passwords: AES-256-CBC (FIPS 197) with the key
/// SHA-256(password), an IV of 16 zero bytes and PKCS#7 padding, written in base64. Slow, and not for secrets that
/// matter: its time depends on the key. `AESCrypt` in Cryptography is the server's.
struct AES256 {
  /// The 15 keys of the rounds, 16 bytes each.
  private let keys: [UInt8]

  init(password: String) { self.init(key: sha256(Array(password.utf8))) }

  /// - Parameter key: 32 bytes.
  init(key: [UInt8]) {
    var (keys, constant) = (key, UInt8(1))
    for word in 8..<60 {
      var next = Array(keys.suffix(4))
      if word % 8 == 0 {
        next = [next[1], next[2], next[3], next[0]].map { Self.substitutes[Int($0)] }
        next[0] ^= constant
        constant = Self.doubled(constant)
      } else if word % 8 == 4 {
        next = next.map { Self.substitutes[Int($0)] }
      }
      for index in 0..<4 { keys.append(keys[keys.count - 32] ^ next[index]) }
    }
    self.keys = keys
  }

  func encrypt(_ plain: String) -> String {
    let plain = Array(plain.utf8)
    let padding = 16 - plain.count % 16
    let padded = plain + [UInt8](repeating: UInt8(padding), count: padding)
    var (encrypted, block) = ([UInt8](), [UInt8](repeating: 0, count: 16))
    for start in stride(from: 0, to: padded.count, by: 16) {
      block = encrypt(block: zip(block, padded[start..<(start + 16)]).map { $0 ^ $1 })
      encrypted += block
    }
    return Data(encrypted).base64EncodedString()
  }

  /// - Parameter block: 16 bytes, a column of four after the other.
  func encrypt(block: [UInt8]) -> [UInt8] {
    var state = zip(block, keys).map { $0 ^ $1 }
    for round in 1...14 {
      // Each row is shifted by its number.
      state = (0..<16).map { Self.substitutes[Int(state[($0 + $0 % 4 * 4) % 16])] }
      if round < 14 { state = Self.mixed(state) }
      state = zip(state, keys[(round * 16)...]).map { $0 ^ $1 }
    }
    return state
  }

  private static func mixed(_ state: [UInt8]) -> [UInt8] {
    state.indices.map { index in
      let column = (0..<4).map { state[index / 4 * 4 + (index + $0) % 4] }
      return doubled(column[0]) ^ doubled(column[1]) ^ column[1] ^ column[2] ^ column[3]
    }
  }

  /// Twice a byte in the field of AES.
  private static func doubled(_ byte: UInt8) -> UInt8 { byte << 1 ^ (byte & 0x80 == 0 ? 0 : 0x1b) }

  /// The S-box: the inverse of each byte in the field, mapped (FIPS 197 §5.1.1).
  private static let substitutes: [UInt8] = {
    var (box, number, inverse) = ([UInt8](repeating: 0x63, count: 256), UInt8(1), UInt8(1))
    repeat {
      // Times 3, and divided by 3.
      number ^= doubled(number)
      for shift in [1, 2, 4] { inverse ^= inverse << UInt8(shift) }
      if inverse & 0x80 != 0 { inverse ^= 0x09 }
      func rotated(_ count: UInt8) -> UInt8 { inverse << count | inverse >> (8 - count) }
      box[Int(number)] = inverse ^ rotated(1) ^ rotated(2) ^ rotated(3) ^ rotated(4) ^ 0x63
    } while number != 1
    return box
  }()
}

/// SHA-256 (FIPS 180-4).
func sha256(_ message: [UInt8]) -> [UInt8] {
  // The constants are the first 32 bits after the point of the roots of the first primes (§4.2.2, §5.3.3).
  let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
  func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 0x1p32) }
  let constants = primes.map { fraction(cbrt(Double($0))) }
  var hash = primes.prefix(8).map { fraction(Double($0).squareRoot()) }

  let length = UInt64(message.count * 8)
  let padded =
    message + [0x80] + [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
    + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * UInt64($0))) }
  func rotated(_ word: UInt32, _ counts: [UInt32]) -> UInt32 {
    counts.reduce(0) { $0 ^ (word >> $1 | word << (32 - $1)) }
  }
  for start in stride(from: 0, to: padded.count, by: 64) {
    var words = (0..<16).map { word in (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(padded[start + word * 4 + $1]) } }
    for index in 16..<64 {
      let (old, new) = (words[index - 15], words[index - 2])
      words.append(
        words[index - 16] &+ words[index - 7] &+ (rotated(old, [7, 18]) ^ old >> 3)
          &+ (rotated(new, [17, 19]) ^ new >> 10))
    }
    var (a, b, c, d, e, f, g, h) = (hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7])
    for (word, constant) in zip(words, constants) {
      let first = h &+ rotated(e, [6, 11, 25]) &+ (e & f ^ ~e & g) &+ constant &+ word
      let second = rotated(a, [2, 13, 22]) &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    hash = zip(hash, [a, b, c, d, e, f, g, h]).map { $0 &+ $1 }
  }
  return hash.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
}
