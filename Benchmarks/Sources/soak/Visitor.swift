import LoadTesting
import Measuring
import Synchronization

/// An ordinary client: it signs in, uploads a photo, looks at its list, deletes the photo, and signs out.
struct Visitor {
  private static let pauseTime = 0.5

  private let number: Int
  private let api: APIClient
  private let tally: Tally

  /// How often all visitors did all of that, and how often anything of it was refused.
  final class Tally: Sendable {
    let visits = Atomic<Int>(0)
    let refusals = Atomic<Int>(0)
  }

  init(number: Int, _ api: APIClient, _ tally: Tally) {
    self.number = number
    self.api = api
    self.tally = tally
  }

  func run(until isOver: Flag) {
    while !isOver.isRaised {
      if isServed() {
        tally.visits.add(1, ordering: .relaxed)
      } else {
        tally.refusals.add(1, ordering: .relaxed)
      }
      pause(Self.pauseTime)
    }
  }

  private func isServed() -> Bool {
    guard let account = Account(number: 100 + number, api) else { return false }
    var isServed = false
    if let id = account.upload(bytes: 200_000, title: "me") {
      let responses = [
        account.send("GET", "/api/get_photos"), account.send("GET", "/photos/\(id)"),
        account.send("DELETE", "/api/delete_photo?photo_id=\(id)"),
      ]
      isServed = responses.allSatisfy { $0?.status == 200 }
    }
    let signOut = account.send("GET", "/api/clear_token")
    return isServed && signOut?.status == 200
  }
}
