// Recognizes files by their first bytes that an owner must convert before the server can read them. `TarReader` and
// `PostgresDump` refuse such files.

/// The end of a sentence about a compressed file; nil for any other.
func compressedForm(of head: [UInt8], name: String) -> String? {
  let programs: [(signature: [UInt8], program: String)] = [
    ([0x1f, 0x8b], "gunzip"), ([0x28, 0xb5, 0x2f, 0xfd], "unzstd"), (Array("BZh".utf8), "bunzip2"),
    ([0xfd] + "7zXZ".utf8, "unxz"), (Array("PK\u{3}\u{4}".utf8), "unzip"),
  ]
  return programs.first { head.starts(with: $0.signature) }
    .map { "is compressed. Unpack it first: \($0.program) \(name)" }
}

/// Whether a file begins with the mark that PowerShell's `>` writes.
func isUTF16(_ head: [UInt8]) -> Bool { head.starts(with: [0xff, 0xfe]) || head.starts(with: [0xfe, 0xff]) }
