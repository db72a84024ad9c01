import Testing

@Suite struct SnapshotsEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func signIn() async throws -> Int {
    try await fixture.api("POST", "signin", ["email": "a@b.c", "password": Fixture.encrypted("secret12")]).status
  }

  @Test(arguments: ["PUT", "POST"])
  func `a test saves a world and goes back to it`(method: String) async throws {
    _ = await fixture.send("POST", "/__admin/clock", #"{"freeze":"2026-01-01T00:00:00Z"}"#)
    await fixture.seed(#"{"email":"a@b.c","tokens":["t"],"photos":[{}]}"#)
    let saved = await fixture.send(method, "/__admin/snapshots/one-user")
    #expect(
      saved.text.hasPrefix(
        #"{"name":"one-user","saved_at":"2026-01-01T00:00:00.000Z","users":1,"tokens":1,"photos":1,"#))
    #expect(await fixture.send("POST", "/__admin/reset").status == 200)
    #expect(try await signIn() == 400)

    let restored = await fixture.send("POST", "/__admin/snapshots/one-user/restore")
    #expect(restored.text == saved.text)
    #expect(try await signIn() == 200)
    let list = await fixture.send("GET", "/__admin/snapshots")
    #expect(list.text == #"{"snapshots":[\#(saved.text)],"most":100}"#)
    #expect(await fixture.send("GET", "/__admin/snapshots", world: "other").text == #"{"snapshots":[],"most":100}"#)

    #expect(await fixture.send("DELETE", "/__admin/snapshots/one-user").text == #"{"removed":"one-user"}"#)
    #expect(await fixture.send("POST", "/__admin/snapshots/one-user/restore").status == 404)
    #expect(await fixture.send("DELETE", "/__admin/snapshots/one-user").status == 404)
  }

  @Test(arguments: [
    ("PUT", "/a%2Fb", 400), ("PUT", "/a%20b", 400), ("PUT", "/.", 400), ("PUT", "/%2E%2E", 400), ("PUT", "/...", 200),
  ])
  func `an invalid name is refused`(method: String, path: String, status: Int) async {
    #expect(await fixture.send(method, "/__admin/snapshots\(path)").status == status)
  }
}
