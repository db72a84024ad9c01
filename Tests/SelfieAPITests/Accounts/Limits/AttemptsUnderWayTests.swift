import Testing

@testable import SelfieAPI

@Suite struct `Attempts under way` {
  private let attempts = AttemptsUnderWay()

  @Test func `know of each other's failures as long as the database may not`() {
    let (first, second) = (attempts.begin([1]), attempts.begin([1]))
    first.noteFailure()
    #expect([first, second].map(\.failuresSince) == [1, 1])
    let third = attempts.begin([1])
    #expect(third.failuresSince == 1)
    first.noteSharedFailure()
    // The second has asked before that, the fourth asks now.
    let fourth = attempts.begin([1])
    #expect([second, third, fourth].map(\.failuresSince) == [1, 1, 0])
    #expect(attempts.begin([2]).failuresSince == 0)
  }

  @Test func `are forgotten with the last of them`() {
    var attempt: AttemptUnderWay? = attempts.begin([1])
    attempt?.noteFailure()
    #expect(attempt?.failuresSince == 1)
    attempt = nil
    #expect(attempts.begin([1]).failuresSince == 0)
  }
}
