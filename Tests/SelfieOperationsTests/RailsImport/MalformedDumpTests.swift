import Testing

@testable import SelfieOperations

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

  @Test(arguments: [
    ("", "line 1: There are no rows of a table users in the schema public. Make the dump without --schema-only."),
    (
      "SELECT 1;\n",
      "line 1: There are no rows of a table users in the schema public. Make the dump without --schema-only."
    ),
    ("PGDMP\u{1}\n", "line 1: This is pg_dump's custom format. Make a plain dump of it: pg_restore -f plain.sql DUMP"),
    (
      "toc.dat\0\0\0ustar\n",
      "line 1: This is pg_dump's tar format. Make a plain dump of it: pg_restore -f plain.sql DUMP"
    ),
    (
      SampleDumps.users() + "COPY public.photos (id) FROM '$$PATH$$/3359.dat';\n",
      "line 4: The rows are in another file. Make a dump with pg_dump --format=plain --encoding=UTF8"
    ),
    (
      "CREATE TABLE public.users (\n    id integer\n);\n",
      "line 1: There are no rows of a table users in the schema public. Make the dump without --schema-only."
    ),
    (
      "SET client_encoding = 'LATIN1';\n" + SampleDumps.users(),
      "line 1: The dump is in LATIN1. Make one with pg_dump --encoding=UTF8"
    ),
    (
      "--\n-- PostgreSQL database dump\n--\n" + SampleDumps.users(),
      "line 6: The dump is cut off: pg_dump's last line is missing."
    ),
    (
      SampleDumps.users() + SampleDumps.users(),
      "line 4: There is a second table users. Import a dump of only one database."
    ),
    (
      SampleDumps.users() + "INSERT INTO public.photos VALUES (1, 'a');\nINSERT INTO public.photos VALUES (2, 'b');\n",
      "line 4: The rows of photos are in INSERT, and only COPY is understood. Make a dump without --inserts, "
        + "--column-inserts and --rows-per-insert: pg_dump --format=plain --encoding=UTF8"
    ),
    ("COPY public.other (a) FROM stdin;\n1\n", "line 1: The rows of the COPY that begins here do not end with \\."),
    ("COPY public.users FROM stdin;\n1\ta\th\n\\.\n", "line 2: This row has 3 values, but there are 0 columns."),
    (
      SampleDumps.users() + "COPY public.photos (id, title, user_id) FROM stdin;\n1\ta\t1\n\\.\n",
      "line 5: The table photos has no column random_id."
    ),
    (
      "COPY public.users (id, id, id) FROM stdin;\n1\t2\t3\n\\.\n",
      "line 2: This row has 3 values, but there are 1 columns."
    ),
    ("COPY public.users (id, email) FROM stdin;\n1\ta\n\\.\n", "line 2: The table users has no column password_hash."),
    (
      "COPY public.users (id, email, password_hash, created_at) FROM stdin;\n1\ta\th\tinfinity\n\\.\n",
      "line 2: created_at is not a time such as 2014-09-01 12:34:56.789012."
    ),
  ])
  func `as a whole`(_ dump: String, _ problem: String) throws {
    #expect(try problems(of: dump) == [problem])
  }

  @Test(
    arguments: [
      ("1\ta\th\n", ["line 1: The rows of the COPY that begins here do not end with \\."]),
      (
        "1\ta\n2\tb\th\tmore\n\n3\tc\th\n\\.\n",
        [
          "line 2: This row has 2 values, but there are 3 columns.",
          "line 3: This row has 4 values, but there are 3 columns.",
          "line 4: This row has 1 values, but there are 3 columns.",
        ]
      ),
      (
        "1\ta\\\th\n2\ta\th\\\n3\ta\\101\th\n\\.\n",
        [
          "line 2: A value ends in the middle of an escape.", "line 3: A value ends in the middle of an escape.",
          "line 4: pg_dump does not write the escape \\1.",
        ]
      ),
      (
        "x\ta\th\n0\ta\th\n\\N\ta\th\n99999999999999999999\ta\th\n\\.\n",
        [
          "line 2: id is not a whole number.", "line 3: The id is not a whole number above 0.",
          "line 4: The id is not a whole number above 0.", "line 5: id is not a whole number.",
        ]
      ),
      ("1\ta\th\n1\tb\th\n\\.\n", ["line 3: The id 1 was already used in line 2."]),
      ("1\ta\0\th\n\\.\n", ["line 2: email is not a text in UTF-8."]),
      (
        "1\ta\t\(String(repeating: "h", count: 1 << 20))\n2\n\\.\n",
        ["line 2: This row has more than 1048576 bytes.", "line 3: This row has 1 values, but there are 3 columns."]
      ),
    ])
  func `in its rows`(_ rows: String, _ expected: [String]) throws {
    let dump = "COPY public.users (id, email, password_hash) FROM stdin;\n\(rows)"
    #expect(try problems(of: dump) == expected)
    #expect(try problems(of: dump, blockBytes: 1000) == expected)
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
