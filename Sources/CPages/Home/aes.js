// AESCrypt without the help of WebCrypto.

export async function byHand(plain, secret) {
  const keys = roundKeys(sha256(secret))
  const padding = 16 - plain.length % 16
  const bytes = new Uint8Array(plain.length + padding).fill(padding)
  bytes.set(plain)
  let last = new Uint8Array(16)
  for (let start = 0; start < bytes.length; start += 16) {
    const block = bytes.subarray(start, start + 16)
    for (let i = 0; i < 16; i++) block[i] ^= last[i]
    encryptBlock(block, keys)
    last = block
  }
  return bytes
}

// The multiples in GF(2^8), and from them the S-box.
const double = byte => (byte << 1 ^ (byte & 0x80 ? 0x11b : 0)) & 0xff
const box = (() => {
  const box = new Uint8Array(256)
  let [p, q] = [1, 1]
  do {
    p ^= double(p)
    q ^= q << 1
    q ^= q << 2
    q = (q ^ q << 4) & 0xff
    if (q & 0x80) q ^= 0x09
    const turned = bits => q << bits | q >> 8 - bits
    box[p] = q ^ turned(1) ^ turned(2) ^ turned(3) ^ turned(4) ^ 0x63
  } while (p !== 1)
  box[0] = 0x63
  return box
})()

function roundKeys(key) {
  const keys = new Uint8Array(240)
  keys.set(key)
  let constant = 1
  for (let i = 32; i < 240; i += 4) {
    let word = [...keys.subarray(i - 4, i)]
    if (i % 32 === 0) {
      word = [...word.slice(1), word[0]].map(byte => box[byte])
      word[0] ^= constant
      constant = double(constant)
    } else if (i % 32 === 16) {
      word = word.map(byte => box[byte])
    }
    for (let j = 0; j < 4; j++) keys[i + j] = keys[i + j - 32] ^ word[j]
  }
  return keys
}

function encryptBlock(block, keys) {
  const addKey = round => { for (let i = 0; i < 16; i++) block[i] ^= keys[round * 16 + i] }
  addKey(0)
  for (let round = 1; round <= 14; round++) {
    // SubBytes and ShiftRows
    const state = Uint8Array.from(block, (_, i) => box[block[(i + 4 * (i % 4)) % 16]])
    if (round < 14) {
      for (let column = 0; column < 16; column += 4) {
        const [a, b, c, d] = state.slice(column, column + 4)
        const all = a ^ b ^ c ^ d
        state.set([a ^ all ^ double(a ^ b), b ^ all ^ double(b ^ c), c ^ all ^ double(c ^ d), d ^ all ^ double(d ^ a)],
          column)
      }
    }
    block.set(state)
    addKey(round)
  }
}

// The first 32 bits of the fractional parts of roots of the first primes.
const [constants, initial] = (() => {
  const primes = []
  for (let n = 2; primes.length < 64; n++) if (primes.every(prime => n % prime)) primes.push(n)
  const fraction = root => (root - Math.floor(root)) * 2 ** 32 | 0
  return [primes.map(prime => fraction(Math.cbrt(prime))), primes.slice(0, 8).map(prime => fraction(Math.sqrt(prime)))]
})()

export function sha256(message) {
  const length = Math.ceil((message.length + 9) / 64) * 64
  const bytes = new Uint8Array(length)
  bytes.set(message)
  bytes[message.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(length - 8, message.length / 2 ** 29)
  view.setUint32(length - 4, message.length << 3)
  const hash = [...initial]
  const turned = (word, bits) => word >>> bits | word << 32 - bits
  for (let start = 0; start < length; start += 64) {
    const w = Array.from({length: 16}, (_, i) => view.getInt32(start + 4 * i))
    let [a, b, c, d, e, f, g, h] = hash
    for (let i = 0; i < 64; i++) {
      if (i >= 16) {
        const s0 = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >>> 3
        const s1 = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >>> 10
        w[i] = w[i - 16] + s0 + w[i - 7] + s1 | 0
      }
      const one = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + (e & f ^ ~e & g) + constants[i] + w[i] | 0
      const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + (a & b ^ a & c ^ b & c) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0]
    }
    for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) hash[i] = hash[i] + word | 0
  }
  const digest = new DataView(new ArrayBuffer(32))
  for (const [i, word] of hash.entries()) digest.setInt32(4 * i, word)
  return new Uint8Array(digest.buffer)
}
