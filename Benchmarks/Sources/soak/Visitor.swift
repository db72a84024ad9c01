import LoadTesting
import Measuring
import Synchronization

/// An ordinary client: it signs in, uploads a photo, looks at its list, deletes the photo, and signs out.
struct Visitor {
  private static let pauseTime = 0.5

  private let number: Int
  private let api: APIClient
  private let tally: Tally

  /// How often all visitors signed in, and how often they could not.
  final class Tally: Sendable {
    let signIns = Atomic<Int>(0)
    let refusals = Atomic<Int>(0)
  }

  init(number: Int, _ api: APIClient, _ tally: Tally) {
    self.number = number
    self.api = api
    self.tally = tally
  }

  func run(until isOver: Flag) {
    while !isOver.isRaised {
      if let account = Account(number: 100 + number, api) {
        tally.signIns.add(1, ordering: .relaxed)
        if let id = account.upload(bytes: 200_000, title: "me") {
          _ = account.send("GET", "/api/get_photos")
          _ = account.send("GET", "/photos/\(id)")
          _ = account.send("DELETE", "/api/delete_photo?photo_id=\(id)")
        }
        _ = account.send("POST", "/api/clear_token")
      } else {
        tally.refusals.add(1, ordering: .relaxed)
      }
      pause(Self.pauseTime)
    }
  }
}
