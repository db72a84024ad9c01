import APITestSupport
import Testing

@testable import SelfieOperations

/// A dump of the Rails original.
@Suite struct RailsDumpTests {
  @Test(arguments: [1, 7, 64 * 1024])
  func `a real export, in blocks of any size`(_ blockBytes: Int) throws {
    let dump = try RailsDump(SampleDumps.export(), blockBytes: blockBytes)
    #expect(
      dump.users.first
        == RailsUser(
          line: 147, id: 2, firstName: "Carol", lastName: "Ünïcode", email: "carol@example.com",
          passwordHash: "$2a$10$/X3h5REJwtmZuGhZrrfoAeD.JtV.vcUNfWv0XKSAAPKqN/WsnVQii",
          passwordSalt: "$2a$10$/X3h5REJwtmZuGhZrrfoAe", token: "UeyVQezQOuaOXqLdzWuDq",
          tokenExpiry: 1_795_299_890_165, createdAt: 1_795_213_490_114, updatedAt: 1_795_213_490_167))
    #expect(dump.users.map(\.email) == ["carol@example.com", "dave@example.com"])
    #expect(dump.photos.map(\.id) == [4, 5, 6, 7])
    #expect(dump.photos.map(\.userID) == [2, 2, 3, 3])
    #expect(dump.photos.first?.title == "carol selfie 0 \"quoted\" <b>")
    #expect(dump.photos.first?.name == "photo")
    #expect(dump.photos.first?.randomID == "mXjIBosZVlkVbtVzISojVOZzSEbmQiEiSGgzMXcVB")
    #expect(dump.photos.first?.createdAt == 1_795_213_490_175)
    #expect(dump.skipped.tables.map(\.name) == ["schema_migrations"])
    #expect(dump.skipped.tables.map(\.rows) == [3])
  }

  /// The same two users, in every form that pg_dump has for them.
  @Test(arguments: [
    // COPY, as pg_dump writes it without options.
    """
    COPY public.users (id, first_name, last_name, email, password_hash, password_salt, email_verification, \
    api_authtoken, authtoken_expiry, created_at, updated_at) FROM stdin;
    2\tAda\tO'Neil\ta@example.com\thash\t\\N\tf\ttoken\t2014-09-02 12:00:00.5\t2014-09-01 12:00:00\t2014-09-01 12:00:00
    1\t\\N\t\\N\tb@example.com\thash\t\\N\tf\t\\N\t\\N\t2014-09-01 12:00:00\t2014-09-01 12:00:00
    \\.

    """,
    // --inserts
    """
    INSERT INTO public.users VALUES (2, 'Ada', 'O''Neil', 'a@example.com', 'hash', NULL, false, 'token', \
    '2014-09-02 12:00:00.5', '2014-09-01 12:00:00', '2014-09-01 12:00:00');
    INSERT INTO public.users VALUES (1, NULL, NULL, 'b@example.com', 'hash', NULL, false, NULL, NULL, \
    '2014-09-01 12:00:00', '2014-09-01 12:00:00');

    """,
    // --column-inserts, in another order and without some columns
    """
    INSERT INTO "public"."users" (email, "id", first_name, last_name, password_hash, api_authtoken, authtoken_expiry,
      created_at, updated_at) OVERRIDING SYSTEM VALUE VALUES
      ('a@example.com', 2, E'Ad\\x61', /* a comment; /* in another */ */ E'O\\'Neil', 'hash', 'token',
       '2014-09-02 12:00:00.500', '2014-09-01 12:00:00+00', '2014-09-01 14:00:00+02:00'), -- and one more
      ('b@example.com', 1, NULL, DEFAULT, 'hash', NULL, NULL, '2014-09-01 12:00:00', '2014-09-01 12:00:00')
      ON CONFLICT DO NOTHING;

    """,
    // As before 2018: names without a schema.
    """
    SET search_path = public, pg_catalog;
    COPY users (id, first_name, last_name, email, password_hash, api_authtoken, authtoken_expiry, created_at, \
    updated_at) FROM stdin;\r
    2\tAda\tO'Neil\ta@example.com\thash\ttoken\t2014-09-02 12:00:00.500999\t2014-09-01 12:00:00\t2014-09-01 12:00:00\r
    1\t\\N\t\\N\tb@example.com\thash\t\\N\t\\N\t2014-09-01 12:00:00\t2014-09-01 12:00:00\r
    \\.\r

    """,
  ])
  func `rows in every form`(_ rows: String) throws {
    let dump = try RailsDump(SampleDumps.users + rows)
    try #require(dump.users.count == 2)
    let (first, second) = (dump.users[0], dump.users[1])
    #expect(first.id == 1 && second.id == 2)
    #expect(first.firstName == nil && first.lastName == nil && first.token == nil && first.tokenExpiry == nil)
    #expect(first.email == "b@example.com")
    #expect(second.firstName == "Ada" && second.lastName == "O'Neil" && second.email == "a@example.com")
    #expect(second.passwordHash == "hash" && second.passwordSalt == nil)
    #expect(second.token == "token" && second.tokenExpiry == 1_409_659_200_500)
    #expect(second.createdAt == 1_409_572_800_000 && second.updatedAt == 1_409_572_800_000)
    #expect(!dump.hasPhotos)
  }

  @Test func `whatever else is in a dump is passed over`() throws {
    let dump = try RailsDump(
      """
      \u{feff}\\connect "railsauth"
      \\restrict abc
      SET client_encoding = 'UTF8';
      CREATE FUNCTION public.a() RETURNS void LANGUAGE plpgsql AS $_$ BEGIN
        INSERT INTO public.users VALUES (99); -- $$ ; ' "
      END; $_$;
      CREATE OR REPLACE FUNCTION public.b() RETURNS integer LANGUAGE sql BEGIN ATOMIC
        INSERT INTO public.users VALUES (99);
        SELECT CASE WHEN true THEN 1 ELSE 2 END;
        INSERT INTO public.users VALUES (99);
      END;
      CREATE RULE r AS ON INSERT TO public.other DO ALSO (INSERT INTO public.users VALUES (99); SELECT 1);
      COMMENT ON TABLE public.other IS 'It''s; INSERT INTO public.users VALUES (99);
      \\. COPY public.users FROM stdin;';
      /* INSERT INTO public.users VALUES (99); */
      -- INSERT INTO public.users VALUES (99);
      COPY public.other (id, "from") FROM stdin;
      1\tINSERT INTO public.users VALUES (99);
      2\t'
      \\.
      COPY auth.users (id) FROM stdin;
      5
      \\.
      INSERT INTO public.other VALUES (1, ';(', (2)), (3, '''', 4);
      INSERT INTO public.other VALUES (1, E'\\';', 2);
      INSERT INTO "Public".users VALUES (1);
      COPY (SELECT 1) TO stdout;
      SELECT pg_catalog.setval('public.users_id_seq', 3, true);
      \(SampleDumps.users)\(SampleDumps.insert(email: "'a@example.com'"))
      """)
    #expect(dump.users.map(\.email) == ["a@example.com"])
    #expect(dump.users.map(\.id) == [1])
    #expect(dump.skipped.tables.map(\.name) == ["other", "auth.users", "Public.users"])
    #expect(dump.skipped.tables.map(\.rows) == [5, 1, 1])
  }

  /// What is written, and what it stands for.
  @Test(arguments: [
    ("plain", "plain"), ("", ""), (#"\\N"#, #"\N"#), (#"a\tb\nc\rd\be\ff\vg"#, "a\tb\nc\rd\u{8}e\u{c}f\u{b}g"),
    (#"\101\7\60z"#, "A\u{7}0z"), (#"\x41\x7z\xc3\xbc"#, "A\u{7}zü"), (#"\q\.\""#, "q.\""), (#"\xy"#, "xy"),
    ("ünï'\"", "ünï'\""),
  ])
  func `COPY's escapes`(_ written: String, _ meant: String) throws {
    #expect(try RailsDump(SampleDumps.copy(email: written)).users.map(\.email) == [meant])
  }

  @Test(arguments: [
    ("'plain'", "plain"), ("''", ""), ("'it''s'", "it's"), (#"'a\nb\'"#, #"a\nb\"#), ("'a\nb'", "a\nb"),
    (#"E'a\nb\tc\'d\\e''f'"#, "a\nb\tc'd\\e'f"), (#"e'\101\x42\u0043\U00000044\v'"#, "ABCDv"), ("E'a\\\nb'", "a\nb"),
    ("12", "12"), ("-1.5e-3", "-1.5e-3"), ("true", "t"), ("FALSE", "f"),
  ])
  func `constants of SQL`(_ written: String, _ meant: String) throws {
    #expect(try RailsDump(SampleDumps.insert(email: written)).users.map(\.email) == [meant])
  }

  @Test func `backslashes are escapes where the dump says so`() throws {
    let dump = try RailsDump("SET standard_conforming_strings = off;\n" + SampleDumps.insert(email: #"'a\\b\'c'"#))
    #expect(dump.users.map(\.email) == [#"a\b'c"#])
  }

  @Test func `many tables are not all kept`() throws {
    let others = (0..<1500).map { "INSERT INTO t\($0) VALUES (1);\n" }.joined()
    #expect(try RailsDump(others + SampleDumps.insert(email: "'a'")).skipped.tables.count == 1000)
  }
}

/// Times of PostgreSQL.
@Suite struct PostgresTimestampTests {
  @Test(
    arguments: [
      ("1970-01-01 00:00:00", 0), ("2014-09-01 12:34:56.789012", 1_409_574_896_789),
      ("2014-09-01 12:34:56.7", 1_409_574_896_700), ("2014-09-01 12:34:56+00", 1_409_574_896_000),
      ("2014-09-01T12:34:56Z", 1_409_574_896_000), ("2014-09-01 18:04:56+05:30", 1_409_574_896_000),
      ("2014-09-01 09:34:56-03", 1_409_574_896_000), ("2000-02-29 00:00:00", 951_782_400_000),
      ("0001-01-01 00:00:00", -62_135_596_800_000), ("9999-12-31 23:59:59.999999", 253_402_300_799_999),
    ] as [(String, Int64)])
  func `are read`(_ text: String, _ milliseconds: Int64) {
    #expect(PostgresTimestamp.milliseconds(Array(text.utf8)) == milliseconds)
  }

  @Test(arguments: [
    "", "infinity", "-infinity", "2014-09-01", "2014-09-01 12:34", "2014-9-1 12:34:56", "2014-02-30 00:00:00",
    "2013-02-29 00:00:00", "2014-13-01 00:00:00", "2014-00-01 00:00:00", "2014-01-00 00:00:00", "0000-01-01 00:00:00",
    "2014-09-01 24:00:00", "2014-09-01 12:60:00", "2014-09-01 12:34:60", "2014-09-01 12:34:56.", "2014-09-01 12:34:56+",
    "2014-09-01 12:34:56.1234567", "2014-09-01 12:34:56+0", "2014-09-01 12:34:56+24", "2014-09-01 12:34:56+00:60",
    "2014-09-01 12:34:56 BC", "10000-01-01 00:00:00", "2014-09-01 12:34:56 ", "+014-09-01 12:34:56",
  ])
  func `are refused`(_ text: String) {
    #expect(PostgresTimestamp.milliseconds(Array(text.utf8)) == nil)
  }
}
