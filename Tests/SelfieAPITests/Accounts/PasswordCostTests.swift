import APITestSupport
import Testing

/// A hash of bcrypt that would take hours to check, as another program's database may have it.
@Suite(.timeLimit(.minutes(2))) struct PasswordCostTests {
  @Test func `a sign-in is refused at once, and the reason is named`() async throws {
    let (api, _) = try await APIFixture.withUser()
    try await api.application.database.run([
      "UPDATE users SET password_hash = '$2b$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'"
    ])
    let response = await api.attemptSignIn()
    #expect(response.status == .unauthorized)
    #expect(response.fields["X-Error-Detail"]?.contains("the bcrypt cost 31, but the highest is 16") == true)
  }
}
