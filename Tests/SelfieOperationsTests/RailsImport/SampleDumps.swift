import Foundation

@testable import SelfieOperations

extension RailsDump {
  /// Reads a dump that comes in blocks of so many bytes.
  init(_ text: String, blockBytes: Int = 64 * 1024) throws {
    try self.init(bytes: Array(text.utf8), blockBytes: blockBytes)
  }

  init(bytes: [UInt8], blockBytes: Int = 64 * 1024) throws {
    var rest = bytes[...]
    try self.init {
      let block = Array(rest.prefix(blockBytes))
      rest = rest.dropFirst(block.count)
      return block
    }
  }
}

/// The problems of a dump; none if it can be read.
func problems(of dump: String, blockBytes: Int = 64 * 1024) throws -> [String] {
  do {
    _ = try RailsDump(dump, blockBytes: blockBytes)
    return []
  } catch let problems as DumpProblems {
    return problems.first.map(\.description)
  }
}

enum SampleDumps {
  /// A dump of a real database of the original's, made with `--inserts`.
  static func export() throws -> String {
    try String(
      contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Export/railsauth.sql"), encoding: .utf8)
  }

  static let users = """
    CREATE TABLE public.users (
        id integer NOT NULL,
        first_name character varying(255),
        last_name character varying(255),
        email character varying(255),
        password_hash character varying(255),
        password_salt character varying(255),
        email_verification boolean DEFAULT false,
        api_authtoken character varying(255),
        authtoken_expiry timestamp without time zone,
        created_at timestamp without time zone,
        updated_at timestamp without time zone,
        CONSTRAINT "odd" CHECK ((id > 0) AND ((email)::text <> ';'::text))
    );

    """

  static let photos = """
    CREATE TABLE public.photos (
        id integer NOT NULL, name character varying(255), title character varying(255), user_id integer,
        created_at timestamp, random_id character varying(255));

    """

  /// A dump whose only user has this address, given as it is written in COPY.
  static func copy(email: String) -> String {
    "COPY public.users (id, email, password_hash) FROM stdin;\n1\t\(email)\thash\n\\.\n"
  }

  /// A dump whose only user has this address, given as a constant of SQL.
  static func insert(email: String) -> String {
    "INSERT INTO public.users (id, email, password_hash) VALUES (1, \(email), 'hash');\n"
  }
}
