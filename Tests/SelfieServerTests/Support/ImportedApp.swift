import APITestSupport
import Foundation
import Testing

/// The app of the export's user carol, signed in to a server on a port, after a look at her photos.
func appOfImportedCarol(port: Int, export: String) async throws -> TutorialApp {
  let app = TutorialApp(
    helper: HTTPHelper(
      apiAuthName: APIFixture.authName, apiAuthPassword: APIFixture.authPassword,
      baseURL: "http://127.0.0.1:\(port)/api"))
  try await app.makeSignInRequest(email: "carol@example.com", password: "password-carol")
  let selfies = try await app.loadSelfieData()
  #expect(selfies.map(\.title) == ["carol selfie 0 \"quoted\" <b>", "carol selfie 1 \"quoted\" <b>"])
  for selfie in selfies {
    let original = try Data(contentsOf: URL(fileURLWithPath: "\(export)/s3/\(selfie.id)"))
    #expect(try await app.helper.download(selfie.url).data == original)
  }
  return app
}
