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
    Case("", "line 0: There is no table users in the schema public of this dump."),
    Case("SELECT 1;\n", "line 1: There is no table users in the schema public of this dump."),
    Case(
      "PGDMP\u{1}\n", "line 1: This is pg_dump's custom format. Make a plain dump of it: pg_restore -f plain.sql DUMP"),
    Case(
      "SET client_encoding = 'LATIN1';\n" + SampleDumps.insert(email: "'a'"),
      "line 1: The dump is in LATIN1. Make one with pg_dump --encoding=UTF8"),
    Case(
      "--\n-- PostgreSQL database dump\n--\n" + SampleDumps.insert(email: "'a'"),
      "line 4: The dump is cut off: pg_dump's last line is missing."),
    Case(SampleDumps.users + SampleDumps.users, "line 15: Another table users: a dump of one database only is needed."),
  ])
  func `as a whole`(_ malformed: Case) throws {
    #expect(try problems(of: malformed.dump) == malformed.problems)
  }

  @Test(arguments: [
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\th\n",
      "line 1: The rows of the COPY that begins here do not end with \\."),
    Case(
      "COPY public.other FROM stdin;\n1\ta\th\n",
      "line 1: The rows of the COPY that begins here do not end with \\."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\n2\tb\th\tmore\n\n3\tc\th\n\\.\n",
      "line 2: This row has 2 values, but there are 3 columns.",
      "line 3: This row has 4 values, but there are 3 columns.",
      "line 4: This row has 1 values, but there are 3 columns."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\\\th\n2\ta\th\\\n\\.\n",
      "line 2: A value ends in the middle of an escape.", "line 3: A value ends in the middle of an escape."),
    Case(
      "COPY public.users \(columns) FROM stdin WITH (FORMAT csv);\n1,a,h\n\\.\n",
      "line 1: Only COPY's text format is understood."),
    Case("COPY public.users FROM stdin;\n1\ta\th\n\\.\n", "line 1: Neither COPY nor CREATE TABLE names the columns."),
    Case("COPY public.users \(columns) FROM '/tmp/users';\n", "line 1: The rows of users are not in this dump."),
    Case("COPY public.users (id, id, id) FROM stdin;\n1\t2\t3\n\\.\n", "line 1: Two columns have the same name."),
    Case(
      "COPY public.users (id, email) FROM stdin;\n1\ta\n\\.\n", "line 2: The table users has no column password_hash."),
    Case(
      "COPY public.users \(columns) FROM stdin;\nx\ta\th\n0\ta\th\n\\N\ta\th\n99999999999999999999\ta\th\n\\.\n",
      "line 2: id is not a whole number.", "line 3: The id is not a whole number above 0.",
      "line 4: The id is not a whole number above 0.", "line 5: id is not a whole number."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\th\n1\tb\th\n\\.\n", "line 3: The id 1 is that of line 2, too."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\t\\xff\th\n2\ta\\000\th\n\\.\n",
      "line 2: email is not a text in UTF-8.", "line 3: email is not a text in UTF-8."),
    Case(
      "COPY public.users (id, email, password_hash, created_at) FROM stdin;\n1\ta\th\tinfinity\n\\.\n",
      "line 2: created_at is not a time such as 2014-09-01 12:34:56.789012."),
    Case(
      "COPY public.users \(columns) FROM stdin;\n1\ta\t\(String(repeating: "h", count: 1 << 20))\n2\n\\.\n",
      "line 2: This row has more than 1048576 bytes.", "line 3: This row has 1 values, but there are 3 columns."),
  ])
  func `in COPY`(_ malformed: Case) throws {
    #expect(try problems(of: malformed.dump) == malformed.problems)
    #expect(try problems(of: malformed.dump, blockBytes: 1000) == malformed.problems)
  }

  @Test(arguments: [
    Case(
      "INSERT INTO public.users \(columns) VALUES (1, 'a', 'h')", "line 1: The statement that begins here does not end."
    ),
    Case(
      "INSERT INTO public.users \(columns) VALUES\n(1, 'a, h);\n", "line 2: The string that begins here does not end."),
    Case(
      "INSERT INTO public.users \(columns) VALUES (1, $$a, h);\n", "line 1: The string that begins here does not end."),
    Case(
      "INSERT INTO public.users (\"id, email) VALUES (1, a, h);\n", "line 1: The name that begins here does not end."),
    Case("/* /* */\n", "line 1: The comment that begins here does not end."),
    Case("CREATE TABLE public.other (a int\n", "line 1: The statement that begins here does not end."),
    Case(
      "INSERT INTO public.users VALUES (1, 'a', 'h');\n",
      "line 1: Neither INSERT nor a CREATE TABLE before it names the columns."),
    Case(
      "INSERT INTO public.users \(columns)\nVALUES (1, 'a', 'h'),\n(2, 'a');\n",
      "line 3: This row has 2 values, but there are 3 columns."),
    Case(
      "INSERT INTO public.users \(columns) SELECT 1;\nINSERT INTO public.users \(columns) VALUES (1 'a');\n",
      "line 1: VALUES was expected here.", "line 2: A comma or a parenthesis was expected here."),
    Case("INSERT INTO public.users \(columns) VALUES (now(), 'a', 'h');\n", "line 1: A value was expected here."),
    Case(
      "INSERT INTO public.users \(columns) VALUES (1, U&'a', 'h');\n",
      "line 1: String constants of the form U&'…' are not understood."),
    Case(
      "INSERT INTO public.users \(columns) VALUES (1, E'\\u00g0', 'h');\n",
      "line 1: \\u and \\U in a string need 4 and 8 hexadecimal digits."),
    Case(
      "INSERT INTO public.users \(columns) VALUES (1, 'a', 'h') RETURNING id;\n",
      "line 1: A comma or a semicolon was expected here."),
    Case("INSERT public.users \(columns) VALUES (1, 'a', 'h');\n", "line 1: INTO was expected here."),
    Case("INSERT INTO 'users' VALUES (1);\n", "line 1: A name was expected here."),
    Case(
      "CREATE TABLE public.users (id integer;\nINSERT INTO public.users (id email) VALUES (1);\n",
      "line 1: A parenthesis was expected here.", "line 2: A comma or a parenthesis was expected here."),
    Case(
      "INSERT INTO public.users \(columns) VALUES (1, '\(String(repeating: "a", count: 1 << 20))', 'h');\n",
      "line 1: This line has more than 1048576 bytes."),
    Case(
      "INSERT INTO public.users \(columns) VALUES (1, '\(String(repeating: "a\n", count: 1 << 19))a', 'h');\n",
      "line 1: This string has more than 1048576 bytes."),
    Case(
      "INSERT INTO public.users \(columns) VALUES ("
        + Array(repeating: "'\(String(repeating: "a", count: 1 << 18))'", count: 5).joined(separator: ",\n") + ");",
      "line 5: This row has more than 1048576 bytes."),
    Case(
      "INSERT INTO public.users \(columns) VALUES (\(Array(repeating: "1", count: 1601).joined(separator: ",")));\n",
      "line 1: This row has more than 1600 values."),
  ])
  func `in INSERT and elsewhere`(_ malformed: Case) throws {
    #expect(try problems(of: malformed.dump) == malformed.problems)
  }

  @Test func `photos need an owner and an address`() throws {
    let dump = SampleDumps.insert(email: "'a'") + "INSERT INTO public.photos (id, title, user_id) VALUES (1, 'a', 1);\n"
    #expect(try problems(of: dump) == ["line 2: The table photos has no column random_id."])
  }

  @Test func `the first twenty problems are kept, and all are counted`() throws {
    let rows = String(repeating: "x\ta\th\n", count: 100)
    let error = #expect(throws: DumpProblems.self) {
      try RailsDump("COPY public.users (id, email, password_hash) FROM stdin;\n\(rows)\\.\n")
    }
    #expect(error?.first.count == 20)
    #expect(error?.count == 100)
    #expect(error?.description.hasSuffix("line 21: id is not a whole number.\nand 80 more") == true)
  }

  @Test func `what the source of the bytes throws is thrown`() {
    struct Unreadable: Error {}
    #expect(throws: Unreadable.self) { try RailsDump { throw Unreadable() } }
  }

  @Test func `a skipped table may have rows of any length`() throws {
    let long = String(repeating: "x", count: 3 << 20)
    let dump = try RailsDump("COPY public.blobs FROM stdin;\n\(long)\n\\.\n" + SampleDumps.insert(email: "'a'"))
    #expect(dump.skipped.tables.map(\.rows) == [1])
  }
}
