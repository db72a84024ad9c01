import COpenSSL

/// Whether `a` and `b` are equal. The time that this takes depends on their lengths, but shows neither where they
/// differ nor whether their lengths do, because their SHA-256 digests are compared. Hashed passwords are compared by
/// `PasswordHash`.
package func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  CRYPTO_memcmp(Digest.sha256(a), Digest.sha256(b), SHA256.byteCount) == 0
}
