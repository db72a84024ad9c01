import Foundation
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieOperations

/// A dump of the Rails original.
@Suite struct RailsDumpTests {
  @Test(arguments: [1, 7, 64 * 1024])
  func `a real export, in blocks of any size`(_ blockBytes: Int) throws {
    let dump = try RailsDump(SampleDumps.exportedDump(), blockBytes: blockBytes)
    #expect(
      dump.users.first
        == RailsUser(
          line: 152,
          user: User(
            id: 2, email: "carol@example.com", firstName: "Carol", lastName: "Ünïcode",
            passwordHash: "$2a$10$/X3h5REJwtmZuGhZrrfoAeD.JtV.vcUNfWv0XKSAAPKqN/WsnVQii", createdAt: 1_795_213_490_114,
            updatedAt: 1_795_213_490_167),
          passwordSalt: "$2a$10$/X3h5REJwtmZuGhZrrfoAe", token: "UeyVQezQOuaOXqLdzWuDq",
          tokenExpiry: 1_795_299_890_165))
    #expect(dump.users.map(\.user.email) == ["carol@example.com", "dave@example.com"])
    #expect(dump.photos.map(\.photo.id) == [4, 5, 6, 7])
    #expect(dump.photos.map(\.photo.userID) == [2, 2, 3, 3])
    let photo = try #require(dump.photos.first?.photo)
    #expect((photo.title, photo.name) == ("carol selfie 0 \"quoted\" <b>", "photo"))
    #expect((photo.randomID, photo.createdAt) == ("mXjIBosZVlkVbtVzISojVOZzSEbmQiEiSGgzMXcVB", 1_795_213_490_175))
    #expect(dump.skipped.map { "\($0.table) \($0.rows)" } == ["schema_migrations 3"])
  }

  @Test(arguments: [
    """
    COPY public.users (id, first_name, last_name, email, password_hash, password_salt, email_verification, \
    api_authtoken, authtoken_expiry, created_at, updated_at) FROM stdin;
    2\tAda\tO'Neil\ta@example.com\thash\t\\N\tf\ttoken\t2014-09-02 12:00:00.5\t2014-09-01 12:00:00\t2014-09-01 12:00:00
    1\t\\N\t\\N\tb@example.com\thash\t\\N\tf\t\\N\t\\N\t2014-09-01 12:00:00\t2014-09-01 12:00:00
    \\.

    """,
    // As before 2018: names without a schema. Another order, without some columns, and with the ends of lines of Windows.
    """
    SET search_path = public, pg_catalog;\r
    COPY users ("id", email, password_hash, last_name, first_name, api_authtoken, authtoken_expiry, created_at, \
    updated_at) FROM stdin;\r
    2\ta@example.com\thash\tO'Neil\tAda\ttoken\t2014-09-02 12:00:00.500999\t2014-09-01 12:00:00+00\t2014-09-01 14:00:00+02\r
    1\tb@example.com\thash\t\\N\t\\N\t\\N\t\\N\t2014-09-01 12:00:00\t2014-09-01 12:00:00\r
    \\.\r

    """,
  ])
  func `rows as old and new versions of pg_dump write them`(_ rows: String) throws {
    let dump = try RailsDump(rows)
    try #require(dump.users.count == 2)
    let (line, time) = (dump.users.map(\.line), Int64(1_409_572_800_000))
    #expect(
      dump.users == [
        RailsUser(
          line: line[0], user: User(id: 1, email: "b@example.com", passwordHash: "hash", createdAt: time),
          passwordSalt: nil, token: nil, tokenExpiry: nil),
        RailsUser(
          line: line[1],
          user: User(
            id: 2, email: "a@example.com", firstName: "Ada", lastName: "O'Neil", passwordHash: "hash", createdAt: time),
          passwordSalt: nil, token: "token", tokenExpiry: 1_409_659_200_500),
      ])
    #expect(!dump.hasPhotos)
  }

  @Test func `all names may be quoted, as by Supabase's tool`() throws {
    let dump = try RailsDump(
      SampleDumps.users().replacing("public.users", with: "\"public\".\"users\"")
        .replacing("(id, email,", with: "(\"id\", \"email\","))
    #expect(dump.users.map(\.user.email) == ["a@example.com"])
  }

  @Test func `whatever else is in a dump is skipped`() throws {
    let dump = try RailsDump(
      """
      \\connect "railsauth"
      SET client_encoding = 'UTF8';
      CREATE FUNCTION public.a() RETURNS void LANGUAGE plpgsql AS $_$ BEGIN
      INSERT INTO public.users VALUES (99);
      END; $_$;
      -- COPY public.users (id) FROM stdin;
      COPY public.other (id, "from") FROM stdin;
      1\tINSERT INTO public.users VALUES (99);
      2\tCOPY public.users (id) FROM stdin;
      \\.
      COPY auth.users (id) FROM stdin;
      5
      \\.
      COPY "Public".users (id) FROM stdin;
      5
      \\.
      SELECT pg_catalog.setval('public.users_id_seq', 3, true);
      \(SampleDumps.users())
      """)
    #expect(dump.users.map(\.user.email) == ["a@example.com"])
    #expect(dump.skipped.map { "\($0.table) \($0.rows)" } == ["other 2", "auth.users 1", "\"Public\".users 1"])
  }

  /// Values as they are written, and their meanings.
  @Test(arguments: [
    ("plain", "plain"), ("", ""), (#"\\N"#, #"\N"#), (#"a\tb\nc\rd\be\ff\vg"#, "a\tb\nc\rd\u{8}e\u{c}f\u{b}g"),
    (#"\.\""#, ".\""), ("ünï'\"", "ünï'\""),
  ])
  func `COPY's escapes`(_ written: String, _ meant: String) throws {
    #expect(try RailsDump(SampleDumps.users(email: written)).users.map(\.user.email) == [meant])
  }
}

/// Times of PostgreSQL.
@Suite struct PostgresTimestampTests {
  @Test(
    arguments: [
      ("1970-01-01 00:00:00", 0), ("2014-09-01 12:34:56.789012", 1_409_574_896_789),
      ("2014-09-01 12:34:56.7", 1_409_574_896_700), ("2014-09-01 12:34:56+00", 1_409_574_896_000),
      ("2014-09-01 18:04:56+05:30", 1_409_574_896_000),
      ("2014-09-01 09:34:56-03", 1_409_574_896_000), ("2000-02-29 00:00:00", 951_782_400_000),
      ("0001-01-01 00:00:00", -62_135_596_800_000), ("9999-12-31 23:59:59.999999", 253_402_300_799_999),
    ] as [(String, Int64)])
  func `are read`(_ text: String, _ milliseconds: Int64) {
    #expect(postgresMilliseconds(Array(text.utf8)) == milliseconds)
  }

  @Test(arguments: [
    "", "infinity", "-infinity", "2014-09-01", "2014-09-01 12:34", "2014-9-1 12:34:56", "2014-02-30 00:00:00",
    "2013-02-29 00:00:00", "2014-13-01 00:00:00", "2014-00-01 00:00:00", "2014-01-00 00:00:00", "0000-01-01 00:00:00",
    "2014-09-01 24:00:00", "2014-09-01 12:60:00", "2014-09-01 12:34:60", "2014-09-01 12:34:56.", "2014-09-01 12:34:56+",
    "2014-09-01 12:34:56.1234567", "2014-09-01 12:34:56+0", "2014-09-01 12:34:56+24", "2014-09-01 12:34:56+00:60",
    "2014-09-01 12:34:56 BC", "10000-01-01 00:00:00", "2014-09-01 12:34:56 ", "+014-09-01 12:34:56",
  ])
  func `are refused`(_ text: String) {
    #expect(postgresMilliseconds(Array(text.utf8)) == nil)
  }
}

/// Dumps that cannot be read.
@Suite struct MalformedDumpTests {
  /// The problems of a dump; none if it can be read.
  private func problems(of dump: String, blockBytes: Int = 64 * 1024) throws -> [String] {
    do {
      _ = try RailsDump(dump, blockBytes: blockBytes)
      return []
    } catch let problems as DumpProblems {
      return problems.lines
    }
  }

  /// Dumps, and how the only problem of each begins.
  @Test(arguments: [
    ("", "line 1: There are no rows of a table users in the schema public. Make the dump without --schema-only."),
    ("SELECT 1;\n", "line 1: There are no rows of a table users"),
    ("PGDMP\u{1}\n", "line 1: This is pg_dump's custom format. Make a plain dump of it: pg_restore -f plain.sql DUMP"),
    ("toc.dat\0\0\0ustar\n", "line 1: This is pg_dump's tar format."),
    (
      SampleDumps.users() + "COPY public.photos (id) FROM '$$PATH$$/3359.dat';\n",
      "line 4: The rows are in another file."
    ),
    ("CREATE TABLE public.users (\n    id integer\n);\n", "line 1: There are no rows of a table users"),
    ("SET client_encoding = 'LATIN1';\n" + SampleDumps.users(), "line 1: The dump is in LATIN1. Make one with"),
    ("--\n-- PostgreSQL database dump\n--\n" + SampleDumps.users(), "line 6: The dump is cut off: pg_dump's last line"),
    (SampleDumps.users() + SampleDumps.users(), "line 4: There is a second table users."),
    (
      SampleDumps.users() + "INSERT INTO public.photos VALUES (1, 'a');\nINSERT INTO public.photos VALUES (2, 'b');\n",
      "line 4: The rows of photos are in INSERT, and"
    ),
    ("COPY public.other (a) FROM stdin;\n1\n", "line 1: The rows of the COPY that begins here do not end with \\."),
    ("COPY public.users FROM stdin;\n1\ta\th\n\\.\n", "line 2: This row has 3 values, but there are 0 columns."),
    (
      SampleDumps.users() + "COPY public.photos (id, title, user_id) FROM stdin;\n1\ta\t1\n\\.\n",
      "line 5: The table photos has no column random_id."
    ),
    ("COPY public.users (id, id, id) FROM stdin;\n1\t2\t3\n\\.\n", "line 2: This row has 3 values, but there are 1"),
    ("COPY public.users (id, email) FROM stdin;\n1\ta\n\\.\n", "line 2: The table users has no column password_hash."),
    (
      "COPY public.users (id, email, password_hash, created_at) FROM stdin;\n1\ta\th\tinfinity\n\\.\n",
      "line 2: created_at is not a time such as 2014-09-01 12:34:56.789012."
    ),
  ])
  func `as a whole`(_ dump: String, _ problem: String) throws {
    let problems = try problems(of: dump)
    #expect(problems.count == 1 && problems[0].hasPrefix(problem), "\(problems)")
  }

  /// Rows, and how the problems of each begin.
  @Test(arguments: [
    ("1\ta\th\n", ["line 1: The rows of the COPY that begins here"]),
    (
      "1\ta\n2\tb\th\tmore\n\n3\tc\th\n\\.\n",
      ["line 2: This row has 2", "line 3: This row has 4", "line 4: This row has 1"]
    ),
    (
      "1\ta\\\th\n2\ta\th\\\n3\ta\\101\th\n\\.\n",
      [
        "line 2: A value ends in the middle of an", "line 3: A value ends in",
        "line 4: pg_dump does not write the escape \\1.",
      ]
    ),
    (
      "x\ta\th\n0\ta\th\n\\N\ta\th\n99999999999999999999\ta\th\n\\.\n",
      ["line 2: id is not a whole", "line 3: The id is not a whole", "line 4: The id is", "line 5: id is not a whole"]
    ),
    ("1\ta\th\n1\tb\th\n\\.\n", ["line 3: The id 1 was already used in line 2."]),
    ("1\ta\0\th\n\\.\n", ["line 2: email is not a text in UTF-8."]),
    (
      "1\ta\t\(String(repeating: "h", count: 1 << 20))\n2\n\\.\n",
      ["line 2: This row has more than 10", "line 3: This row"]
    ),
  ])
  func `in its rows`(_ rows: String, _ expected: [String]) throws {
    for blockBytes in [64 * 1024, 1000] {
      let dump = "COPY public.users (id, email, password_hash) FROM stdin;\n\(rows)"
      let problems = try problems(of: dump, blockBytes: blockBytes)
      #expect(
        problems.count == expected.count && zip(problems, expected).allSatisfy { $0.hasPrefix($1) }, "\(problems)")
    }
  }

  @Test(arguments: [
    ([0x1f, 0x8b], "gunzip"), ([0x28, 0xb5, 0x2f, 0xfd], "unzstd"), (Array("BZh9".utf8), "bunzip2"),
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], "unxz"), (Array("PK\u{3}\u{4}".utf8), "unzip"),
  ])
  func `compressed ones are named with the command that unpacks them`(_ head: [UInt8], _ program: String) {
    let problems = #expect(throws: DumpProblems.self) { try RailsDump(bytes: head + Array("x\ny\n".utf8)) }
    #expect(problems?.lines == ["line 1: This is compressed. Unpack it first: \(program) DUMP"])
  }

  @Test(arguments: [[0xff, 0xfe, 0x2d, 0], [0xfe, 0xff, 0, 0x2d], [0x2d, 0, 0x2d, 0], [0, 0x2d, 0, 0x2d]])
  func `those in UTF-16 must be made again, since their names are spoilt`(_ head: [UInt8]) {
    let problems = #expect(throws: DumpProblems.self) { try RailsDump(bytes: head + [0x0a, 0]) }
    #expect(
      problems?.lines == [
        "line 1: This is UTF-16, as PowerShell's > writes it. Make the dump with pg_dump --file=railsauth.sql"
      ])
  }

  @Test func `texts that are not UTF-8`() {
    let columns = "(id, email, password_hash)"
    let dump = Array("COPY public.users \(columns) FROM stdin;\n1\ta".utf8) + [0xff] + Array("\th\n\\.\n".utf8)
    let problems = #expect(throws: DumpProblems.self) { try RailsDump(bytes: dump) }
    #expect(problems?.lines == ["line 2: email is not a text in UTF-8."])
  }

  @Test func `the first twenty problems are kept, and all are counted`() throws {
    let rows = String(repeating: "x\ta\th\n", count: 100)
    let lines = try problems(of: "COPY public.users (id, email, password_hash) FROM stdin;\n\(rows)\\.\n")
    #expect(lines.count == 21)
    #expect(lines.suffix(2) == ["line 21: id is not a whole number.", "and 80 more"])
  }

  @Test func `what the source of the bytes throws is thrown`() {
    #expect(throws: CancellationError.self) { try RailsDump(now: 0) { throw CancellationError() } }
  }

  @Test func `a skipped table may have rows of any length`() throws {
    let long = String(repeating: "x", count: 3 << 20)
    let dump = try RailsDump("COPY public.blobs (a) FROM stdin;\n\(long)\n\\.\n" + SampleDumps.users())
    #expect(dump.skipped.map(\.rows) == [1])
  }
}

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
