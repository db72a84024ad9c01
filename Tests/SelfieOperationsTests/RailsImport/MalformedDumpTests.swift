import APITestSupport
import Testing

@testable import SelfieOperations

/// Dumps that cannot be read.
@Suite struct MalformedDumpTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let dump: String
    let problems: [String]

    init(_ dump: String, _ problems: String...) {
      self.dump = dump
      self.problems = problems
    }

    var testDescription: String { problems.joined(separator: "; ") }
  }

  private static let columns = "(id, email, password_hash)"

  @Test(arguments: [
    Case("", "line 1: There is no table users in the schema public of this dump."),
    Case("SELECT 1;\n", "line 1: There is no table users in the schema public of this dump."),
    Case(
      "PGDMP\u{1}\n", "line 1: This is pg_dump's custom format. Make a plain dump of it: pg_restore -f plain.sql DUMP"),
    Case(
      "SET client_encoding = 'LATIN1';\n" + SampleDumps.users(),
      "line 1: The dump is in LATIN1. Make one with pg_dump --encoding=UTF8"),
    Case(
      "--\n-- PostgreSQL database dump\n--\n" + SampleDumps.users(),
      "line 6: The dump is cut off: pg_dump's last line is missing."),
    Case(
      SampleDumps.users() + SampleDumps.users(),
      "line 4: Another table users: a dump of one database only is needed."),
    Case(
      SampleDumps.users() + "INSERT INTO public.photos VALUES (1, 'a');\nINSERT INTO public.photos VALUES (2, 'b');\n",
      "line 4: The rows of photos are in INSERT, and only COPY is understood. Make a dump without --inserts, "
        + "--column-inserts and --rows-per-insert: pg_dump --format=plain --encoding=UTF8"),
  ])
  func `as a whole`(_ malformed: Case) throws {
    #expect(try problems(of: malformed.dump) == malformed.problems)
  }

  @Test(arguments: [
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\th\n",
      "line 1: The rows of the COPY that begins here do not end with \\."),
    Case(
      "COPY public.other (a) FROM stdin;\n1\n", "line 1: The rows of the COPY that begins here do not end with \\."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\n2\tb\th\tmore\n\n3\tc\th\n\\.\n",
      "line 2: This row has 2 values, but there are 3 columns.",
      "line 3: This row has 4 values, but there are 3 columns.",
      "line 4: This row has 1 values, but there are 3 columns."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\\\th\n2\ta\th\\\n3\ta\\101\th\n\\.\n",
      "line 2: A value ends in the middle of an escape.", "line 3: A value ends in the middle of an escape.",
      "line 4: pg_dump does not write the escape \\1."),
    Case(
      "COPY public.users FROM stdin;\n1\ta\th\n\\.\n", "line 2: This row has 3 values, but there are 0 columns."),
    Case(
      "COPY public.users (id, id, id) FROM stdin;\n1\t2\t3\n\\.\n",
      "line 2: This row has 3 values, but there are 1 columns."),
    Case(
      "COPY public.users (id, email) FROM stdin;\n1\ta\n\\.\n", "line 2: The table users has no column password_hash."),
    Case(
      SampleDumps.users() + "COPY public.photos (id, title, user_id) FROM stdin;\n1\ta\t1\n\\.\n",
      "line 5: The table photos has no column random_id."),
    Case(
      "COPY public.users \(columns) FROM stdin;\nx\ta\th\n0\ta\th\n\\N\ta\th\n99999999999999999999\ta\th\n\\.\n",
      "line 2: id is not a whole number.", "line 3: The id is not a whole number above 0.",
      "line 4: The id is not a whole number above 0.", "line 5: id is not a whole number."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\th\n1\tb\th\n\\.\n", "line 3: The id 1 is that of line 2, too."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\0\th\n\\.\n", "line 2: email is not a text in UTF-8."),
    Case(
      "COPY public.users (id, email, password_hash, created_at) FROM stdin;\n1\ta\th\tinfinity\n\\.\n",
      "line 2: created_at is not a time such as 2014-09-01 12:34:56.789012."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\t\(String(repeating: "h", count: 1 << 20))\n2\n\\.\n",
      "line 2: This row has more than 1048576 bytes.", "line 3: This row has 1 values, but there are 3 columns."),
  ])
  func `in its rows`(_ malformed: Case) throws {
    #expect(try problems(of: malformed.dump) == malformed.problems)
    #expect(try problems(of: malformed.dump, blockBytes: 1000) == malformed.problems)
  }

  @Test func `texts that are not UTF-8`() {
    let dump = Array("COPY public.users \(Self.columns) FROM stdin;\n1\ta".utf8) + [0xff] + Array("\th\n\\.\n".utf8)
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
    struct Unreadable: Error {}
    #expect(throws: Unreadable.self) { try RailsDump { throw Unreadable() } }
  }

  @Test func `a skipped table may have rows of any length`() throws {
    let long = String(repeating: "x", count: 3 << 20)
    let dump = try RailsDump("COPY public.blobs (a) FROM stdin;\n\(long)\n\\.\n" + SampleDumps.users())
    #expect(dump.skipped.map(\.rows) == [1])
  }
}
