import SelfieAPI
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
