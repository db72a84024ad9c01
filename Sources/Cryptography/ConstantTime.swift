import COpenSSL

/// Whether `a` and `b` are the same, in a time that does not tell where they differ, nor whether their lengths do:
/// their SHA-256 digests are compared. (The time grows with the length of each side by itself.)
public func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  CRYPTO_memcmp(Digest.sha256(a), Digest.sha256(b), SHA256.byteCount) == 0
}
