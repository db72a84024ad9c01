import Cryptography
import Glibc
import TestSupport

/// A client that does at random what users do, with accounts of its own, and notes what the server promises.
///
/// `@unchecked Sendable`: one thread at a time has it, and hands it on by ending.
final class Visitor: @unchecked Sendable {
  /// Beyond these, accounts in doubt are waited for.
  private static let mostDoubtful = 12
  private static let mostPhotos = 6
  private static let maxNotes = 6
  /// Verified so often, an account is left in peace.
  private static let retirement = 8
  /// Photos that an account keeps then, at most; what the trials store must not grow without bounds.
  private static let mostBytesInRetirement = 64 * 1024
  /// Microseconds.
  private static let pauseAfterError: UInt32 = 20_000

  private(set) var accounts: [Account] = []
  private(set) var retired: [Account] = []
  private(set) var tally = Tally()
  private(set) var violation: Violation?
  private let app = AppRequests.torture
  private var chance: SplitMix64
  private let pool: [UInt8]
  private let name: String
  private let maxAccounts: Int
  private var serial = 0

  init(name: String, seed: UInt64, maxAccounts: Int) {
    self.name = name
    self.maxAccounts = maxAccounts
    chance = SplitMix64(seed: seed)
    pool = chance.bytes(256 * 1024)
  }

  // MARK: - Load

  /// Does what users do until the stage is over or the server is gone.
  func visit(port: Int, _ stage: Stage) {
    let client = Client(port: port)
    noting {
      while !stage.isOver {
        do {
          try act(client, stage)
        } catch let lost as Client.Lost {
          guard stage.mayBeKilled else { throw Violation("a request was not answered: \(lost)") }
          // Only a balancer is still there.
          guard stage.clusterFault != nil else { return }
          usleep(Self.pauseAfterError)
        } catch is Verification.Excused {
          usleep(Self.pauseAfterError)
        }
      }
    }
  }

  private func act(_ client: Client, _ stage: Stage) throws {
    let sure = accounts.filter { $0.doubt == nil }
    if sure.count < maxAccounts && (sure.isEmpty || chance.happens(percent: 10)) {
      guard accounts.count < Self.mostDoubtful else {
        usleep(1000)
        return
      }
      return try signUp(client, stage)
    }
    guard let account = sure.randomElement(using: &chance) else { return }
    guard let token = account.tokens.randomElement(using: &chance) else { return try signIn(account, client, stage) }
    switch chance.number(1...100) {
    case ...45 where account.photos.count < Self.mostPhotos: try upload(account, token, client, stage)
    case ...60: try delete(account, token, client, stage)
    case ...72: try signIn(account, client, stage)
    case ...78: try reset(account, token, client, stage)
    case ...84: try clear(account, token, client, stage)
    case ...89: try refresh(account, token, client, stage)
    case ...93 where account.notes.count < Self.maxNotes: try writeNote(account, client, stage)
    case ...95: try deleteNote(account, client, stage)
    default: try look(account, token, client, stage)
    }
  }

  private func signUp(_ client: Client, _ stage: Stage) throws {
    let account = Account(email: "\(unique())@example.com", password: unique())
    accounts.append(account)
    _ = try write(
      .init(operation: .signup), account, stage, try client.send(app.signUp(account.email, account.password)))
  }

  private func signIn(_ account: Account, _ client: Client, _ stage: Stage) throws {
    let response = try write(
      .init(operation: .signin), account, stage, try client.send(app.signIn(account.email, account.password)))
    guard let response else { return }
    account.tokens.append(try response.text("api_authtoken"))
  }

  private func upload(_ account: Account, _ token: String, _ client: Client, _ stage: Stage) throws {
    let (image, title) = (image(), unique())
    var photo = Account.Photo(title: title, sha256: Digest.sha256(image), byteCount: image.count)
    let pause: UInt32 = chance.happens(percent: 30) ? UInt32(chance.number(200...4000)) : 0
    let response = try write(
      .init(operation: .upload, photo: photo), account, stage,
      try client.send(app.upload(token, image, title: title), pause: pause))
    guard let response else { return }
    photo.id = try response.text("random_id")
    account.photos[photo.id] = photo
  }

  private func delete(_ account: Account, _ token: String, _ client: Client, _ stage: Stage) throws {
    guard let id = account.photos.keys.sorted().randomElement(using: &chance) else { return }
    let response = try write(
      .init(operation: .delete, text: id), account, stage, try client.send(app.deletePhoto(token, id)))
    if response != nil { account.deleted(id) }
  }

  private func reset(_ account: Account, _ token: String, _ client: Client, _ stage: Stage) throws {
    let password = unique()
    let response = try write(
      .init(operation: .reset, text: password), account, stage,
      try client.send(app.resetPassword(token, from: account.password, to: password)))
    guard let response else { return }
    account.changed(to: password)
    account.tokens.append(try response.text("api_authtoken"))
  }

  private func clear(_ account: Account, _ token: String, _ client: Client, _ stage: Stage) throws {
    let response = try write(.init(operation: .clear, text: token), account, stage, try client.send(app.clear(token)))
    if response != nil { account.cleared(token) }
  }

  /// The old token lives for a minute at most, so nothing is promised of it any more.
  private func refresh(_ account: Account, _ token: String, _ client: Client, _ stage: Stage) throws {
    account.tokens.removeAll { $0 == token }
    let response = try write(.init(operation: .refresh), account, stage, try client.send(app.refresh(token)))
    if let response { account.tokens.append(try response.text("api_authtoken")) }
  }

  private func writeNote(_ account: Account, _ client: Client, _ stage: Stage) throws {
    let title = unique()
    let response = try write(
      .init(operation: .writeNote, text: title), account, stage,
      try client.send(app.createNote(account.email, account.password, title: title, body: title)))
    guard let response else { return }
    guard let id = response.object?["id"] as? Int else { throw Violation("no id in \(response.text)") }
    account.notes[id] = title
  }

  private func deleteNote(_ account: Account, _ client: Client, _ stage: Stage) throws {
    guard let id = account.notes.keys.sorted().randomElement(using: &chance) else { return }
    let response = try write(
      .init(operation: .deleteNote, note: id), account, stage,
      try client.send(app.deleteNote(account.email, account.password, id)))
    if response != nil { account.notes[id] = nil }
  }

  /// Reads, which must work whatever happens to writes.
  private func look(_ account: Account, _ token: String, _ client: Client, _ stage: Stage) throws {
    let verification = Verification(client, under: stage.clusterFault)
    try verification.checkList(of: account, token)
    try verification.checkNotes(of: account)
    tally.reads += 2
    guard stage.fault?.hidesPhotos != true, let id = account.photos.keys.sorted().randomElement(using: &chance),
      let photo = account.photos[id]
    else { return }
    try verification.check(photo, of: account)
    tally.reads += 1
  }

  /// Sends a write; nil when it was refused for a fault that is there.
  private func write(
    _ doubt: Account.Doubt, _ account: Account, _ stage: Stage,
    _ send: @autoclosure () throws(Client.Lost) -> RawResponse
  ) throws -> RawResponse? {
    let operation = doubt.operation
    let moment = stage.moment
    do throws(Client.Lost) {
      let response = try send()
      if [200, 201, 204].contains(response.status) {
        tally.acknowledged[operation, default: 0] += 1
        return response
      }
      account.doubt = doubt
      let refusal = stage.refusal(response, of: operation, since: moment)
      if refusal == nil {
        violation =
          violation
          ?? Violation("\(operation) of \(account.email) was answered \(response.status) \(response.text), \(stage)")
      }
      account.isRefused = refusal == .final
      tally.refused[operation, default: 0] += 1
      return nil
    } catch {
      account.doubt = doubt
      account.isRefused = false
      account.doubt?.cannotBe = operation == .upload && !error.wasSent
      throw error
    }
  }

  /// Mostly small, at times so large that it is under way for a while.
  private func image() -> [UInt8] {
    let most = chance.happens(percent: 5) ? 6_000_000 : chance.happens(percent: 20) ? 600_000 : 30_000
    let count = chance.number(0...most)
    var image: [UInt8] = []
    image.reserveCapacity(count)
    while image.count < count {
      let start = chance.number(0...(pool.count - 64 * 1024))
      image += pool[start...].prefix(min(64 * 1024, count - image.count))
    }
    return image
  }

  private func unique() -> String {
    serial += 1
    return "\(name)x\(serial)x\(chance.number(1000...9999))"
  }

  // MARK: - Verification

  /// Looks whether all is as promised, and settles what was in doubt.
  ///
  /// - Parameters:
  ///   - wasRestarted: a write that was refused may have come back; without, it must not have happened.
  ///   - all: also all of the accounts that were left in peace, instead of some.
  ///   - maxRetries: how often a request is sent again that a server has no time for.
  func verify(port: Int, wasRestarted: Bool, all: Bool, maxRetries: Int) {
    let client = Client(port: port, maxRetries: maxRetries)
    defer { tally.retries += client.retries }
    let verification = Verification(client)
    noting {
      for account in accounts {
        if try !verification.check(account, wasRestarted: wasRestarted) { accounts.removeAll { $0 === account } }
      }
      let sample = all ? retired : Array(retired.shuffled(using: &chance).prefix(2))
      for account in sample { _ = try verification.check(account, wasRestarted: wasRestarted) }
      if let account = accounts.first(where: { $0.age >= Self.retirement }) {
        for photo in account.photos.values where photo.byteCount > Self.mostBytesInRetirement {
          try verification.delete(photo, of: account)
        }
        accounts.removeAll { $0 === account }
        retired.append(account)
      }
    }
    tally.add(verification.tally)
  }

  private func noting(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      violation = violation ?? (error as? Violation) ?? Violation("\(name): \(error)")
    }
  }
}
