import Foundation
import Testing

@Suite struct ClockEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  @Test func `the clock can be frozen at an instant, and runs on from there`() async throws {
    let frozen = await fixture.send("POST", "/__admin/clock", #"{"freeze":"2026-01-01T00:00:00Z"}"#)
    #expect(frozen["now"] as? String == "2026-01-01T00:00:00.000Z")
    #expect(frozen["frozen"] as? Bool == true)
    fixture.real.advance(milliseconds: 5000)
    #expect(await fixture.send("GET", "/__admin/clock")["now"] as? String == "2026-01-01T00:00:00.000Z")
    #expect(await fixture.send("POST", "/__admin/clock", #"{"run":true,"advance":1.5}"#).status == 200)
    fixture.real.advance(milliseconds: 500)
    #expect(await fixture.send("GET", "/__admin/clock")["now"] as? String == "2026-01-01T00:00:02.000Z")
    #expect(await fixture.send("POST", "/__admin/clock", #"{"reset":true}"#)["ahead_milliseconds"] as? Int == 0)
  }

  @Test func `at the end of 9999 a token expires in a year of four digits, which apps can read`() async throws {
    #expect(await fixture.send("POST", "/__admin/clock", #"{"freeze":"9999-12-31T23:59:59Z"}"#).status == 200)
    #expect(try await fixture.api("POST", "signup", Fixture.ada).status == 200)
    let session = try await fixture.api("POST", "signin", Fixture.ada)
    #expect(session["authtoken_expiry"] as? String == "9999-12-31T23:59:59.999Z")
    let token = try #require(session["api_authtoken"] as? String)
    #expect(await fixture.photos(of: token).status == 200)
  }

  @Test func `a wait after too many wrong passwords follows the clock forward, and not back`() async throws {
    func signIn(_ password: String) async throws -> Int {
      try await fixture.api(
        "POST", "signin", ["email": "jane@example.com", "password": Fixture.encrypted(password)]
      ).status
    }
    await fixture.seed(#"{"email":"jane@example.com","password":"secret12"}"#)
    for _ in 0..<10 { #expect(try await signIn("wrong123") == 401) }
    #expect(try await signIn("secret12") == 429)
    #expect(await fixture.send("POST", "/__admin/clock", #"{"advance":"-24h"}"#).status == 200)
    #expect(try await signIn("secret12") == 429)
    #expect(await fixture.send("POST", "/__admin/clock", #"{"advance":"3m"}"#).status == 200)
    #expect(try await signIn("secret12") == 200)
  }

  @Test(arguments: [
    ("", "Say what the clock is to do"), ("{}", "Say what the clock is to do"),
    (#"{"advance":"25 hours"}"#, #"advance must be a duration such as "250ms""#),
    (#"{"advance":true}"#, "advance must be a duration"), (#"{"freez":true}"#, "There is no freez here"),
    (#"{"freeze":"yesterday"}"#, "freeze must be an instant"), (#"{"freeze":true,"run":true}"#, "not both"),
    (#"{"set":5}"#, "set must be an instant"), ("[1]", "must be a JSON object"), ("{", "is not valid JSON"),
  ])
  func `invalid members are refused`(body: String, message: String) async {
    await fixture.expectRefusal(of: body, at: "clock", message)
    #expect(await fixture.send("GET", "/__admin/clock")["ahead_milliseconds"] as? Int == 0)
  }
}
