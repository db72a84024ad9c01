// Paths, and names in folders. `FileSystem` has the system calls, and `StorageLayout` a storage's names.

/// A path: a text or, since it need not be UTF-8, bytes for the system.
package protocol FilePath {
  var cString: [CChar] { get }
}

extension String: FilePath {
  package var cString: [CChar] { Array(utf8CString) }
}

extension [CChar]: FilePath {
  package var cString: [CChar] { self }
}

/// A name in a folder. It is bytes, which need not be UTF-8.
package struct FileName: Sendable, Equatable {
  /// Without a NUL.
  let bytes: [UInt8]

  /// Nil if it is not UTF-8.
  package var text: String? { String(validating: bytes, as: UTF8.self) }

  /// For people: what is not UTF-8, and what could end a line or control a terminal, is escaped.
  package var printable: String { String(printable: bytes) }

  /// Bytes of a name in most file systems (NAME_MAX).
  private static let maxBytes = 255

  /// This name, or the beginning of a long one, and a number.
  package func numbered(_ number: Int) -> FileName {
    let end = Array(".\(number)".utf8)
    return FileName(bytes: bytes.prefix(Self.maxBytes - end.count) + end)
  }

  package func path(in folder: some FilePath) -> [CChar] {
    folder.cString.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + bytes.map { CChar(bitPattern: $0) } + [0]
  }
}
