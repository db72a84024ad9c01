import Foundation
import TestSupport

@testable import SelfieOperations

extension RailsDump {
  /// Reads a dump that comes in blocks of so many bytes.
  init(_ text: String, blockBytes: Int = 64 * 1024, now: Int64 = 0) throws {
    try self.init(bytes: Array(text.utf8), blockBytes: blockBytes, now: now)
  }

  init(bytes: [UInt8], blockBytes: Int = 64 * 1024, now: Int64 = 0) throws {
    var rest = bytes[...]
    try self.init(now: now) {
      let block = Array(rest.prefix(blockBytes))
      rest = rest.dropFirst(block.count)
      return block
    }
  }
}

enum SampleDumps {
  /// A real export of the original: the dump of its database, and its bucket.
  static let export = "\(checkout)/Tests/SelfieOperationsTests/RailsImport/Export"

  static func exportedDump() throws -> String {
    try String(contentsOfFile: "\(export)/railsauth.sql", encoding: .utf8)
  }

  /// A dump whose only user has this address, given as it is written in COPY.
  static func users(email: String = "a@example.com") -> String {
    "COPY public.users (id, email, password_hash) FROM stdin;\n1\t\(email)\thash\n\\.\n"
  }
}
