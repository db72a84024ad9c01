import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

@Suite struct LongBodyTests {
  @Test(
    arguments: [
      ("application/x-www-form-urlencoded", "email=jane@example.com&password=x&other=", ""),
      ("application/json", #"{"email":"jane@example.com","password":"x","other":""#, #""}"#),
      (
        "multipart/form-data; boundary=B",
        "--B\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\njane@example.com\r\n"
          + "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nx\r\n"
          + "--B\r\nContent-Disposition: form-data; name=\"other\"\r\n\r\n", "\r\n--B--\r\n"
      ),
    ])
  func `a long body is parsed by a worker, a short one on the event loop`(
    _ type: String, _ start: String, _ end: String
  ) async throws {
    let api = try APIFixture()
    try await api.signUp()
    func signIn(bytes: Int) async -> Response {
      let filling = String(repeating: "x", count: bytes - start.utf8.count - end.utf8.count)
      return await api.send("POST", "/api/signin", as: .app, type: type, body: start + filling + end)
    }
    #expect(await signIn(bytes: RequestLimits.maxBytesParsedOnLoop + 1).message == "Wrong Password")
    // There is no worker any more.
    api.finishFiling()
    #expect(await signIn(bytes: RequestLimits.maxBytesParsedOnLoop).message == "Wrong Password")
    #expect(await signIn(bytes: RequestLimits.maxBytesParsedOnLoop + 1).status == .serviceUnavailable)
  }

  @Test(arguments: [("POST", "/api/signin"), ("GET", "/api/get_photos")])
  func `a long query is parsed by a worker, a short one on the event loop`(_ method: String, _ path: String)
    async throws
  {
    let api = try APIFixture()
    try await api.signUp()
    let token = try await api.signIn()
    let start = "email=jane@example.com&password=x&other="
    func send(bytes: Int) async -> Response {
      let query = start + String(repeating: "x", count: bytes - start.utf8.count)
      return await api.send(method, "\(path)?\(query)", as: method == "POST" ? .app : .holder(of: token))
    }
    let (longest, status) = (RequestLimits.maxBytesParsedOnLoop, method == "POST" ? Status.unauthorized : .ok)
    #expect(await send(bytes: longest + 1).status == status)
    api.finishFiling()
    #expect(await send(bytes: longest).status == status)
    #expect(await send(bytes: longest + 1).status == .serviceUnavailable)
  }

  @Test func `a text of more than 64 KiB is refused`() async throws {
    let api = try APIFixture()
    func signIn(_ count: Int) async -> Response {
      await api.send(
        "POST", "/api/signin", as: .app, type: "application/x-www-form-urlencoded",
        body: "password=x&email=\(String(repeating: "a", count: count))")
    }
    #expect(await signIn(RequestLimits.maxTextBytes).message == "No USER found by this email ID")
    let response = await signIn(RequestLimits.maxTextBytes + 1)
    #expect(response.status == .contentTooLarge)
    #expect(response.text.contains("longer than 65536 bytes"))
  }
}
