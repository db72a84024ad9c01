// AESCrypt, by which the tutorial's app encrypts passwords: AES-256-CBC with the SHA-256 of the API password as key, an
// IV of zeros and PKCS#7 padding (FIPS 197, FIPS 180-4), in base64.

// Browsers have WebCrypto only on https and on localhost. A visitor of http://192.168.1.20:3000 gets the same bytes from
// another module. It is loaded now: the server may be away later.
const other = globalThis.crypto?.subtle ? null : import('./aes.js')

export async function encrypt(text, password) {
  const [plain, secret] = [text, password].map(value => new TextEncoder().encode(value))
  return base64(await (other ? (await other).byHand : byWebCrypto)(plain, secret))
}

export async function byWebCrypto(plain, secret) {
  const digest = await crypto.subtle.digest('SHA-256', secret)
  const key = await crypto.subtle.importKey('raw', digest, 'AES-CBC', false, ['encrypt'])
  return new Uint8Array(await crypto.subtle.encrypt({name: 'AES-CBC', iv: new Uint8Array(16)}, key, plain))
}

const base64 = bytes => btoa(String.fromCharCode(...bytes))
