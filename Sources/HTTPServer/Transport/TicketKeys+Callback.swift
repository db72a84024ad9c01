import COpenSSL
import Cryptography

// How libssl encrypts and decrypts session tickets: AES-256 in CBC mode, then HMAC-SHA-256. TicketKeys.swift makes the
// keys and forgets them.
//
// The pointers are libssl's, valid for the call: a name of 16 bytes, an initialisation vector of `EVP_MAX_IV_LENGTH`, and
// the two contexts to prepare (SSL_CTX_set_tlsext_ticket_key_evp_cb(3)).
extension TicketKeys {
  private static let vectorLength = 16

  // The callback's results, by the manual.
  private static let failed: Int32 = -1
  private static let unknownKey: Int32 = 0
  private static let good: Int32 = 1
  /// The ticket is good, and the client should get a new one.
  private static let renew: Int32 = 2

  /// Makes the sessions of a context use these keys, which must live as long as the context.
  func encryptTickets(of context: OpaquePointer) {
    SSL_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(self).toOpaque())
    SSL_CTX_set_tlsext_ticket_key_evp_cb(context) { session, name, vector, cipher, mac, encrypts in
      guard let name, let vector, let cipher, let mac,
        let owner = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), 0)
      else { return TicketKeys.failed }
      let keys = Unmanaged<TicketKeys>.fromOpaque(owner).takeUnretainedValue()
      return keys.prepare(cipher, mac, name: name, vector: vector, encrypts: encrypts == 1)
    }
  }

  private func prepare(
    _ cipher: OpaquePointer, _ mac: OpaquePointer, name: UnsafeMutablePointer<UInt8>,
    vector: UnsafeMutablePointer<UInt8>, encrypts: Bool
  ) -> Int32 {
    let newest = current()
    let named = encrypts ? newest : key(named: UnsafeBufferPointer(start: name, count: Self.nameLength))
    guard let key = named else { return Self.unknownKey }
    if encrypts {
      guard RAND_bytes(vector, Int32(Self.vectorLength)) == 1 else { return Self.failed }
      name.update(from: key.name, count: Self.nameLength)
    }
    guard EVP_CipherInit_ex2(cipher, aes256CBC, key.cipherKey, vector, encrypts ? 1 : 0, nil) == 1,
      copenssl_set_mac_key(mac, key.macKey, key.macKey.count) == 1
    else { return Self.failed }
    return key.name == newest.name ? Self.good : Self.renew
  }
}
