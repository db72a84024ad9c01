import Cryptography
import TestSupport

/// Compares what the server answers with what it has promised; the first difference is thrown as a ``Violation``.
final class Verification {
  /// A response that the fault of this moment explains.
  struct Excused: Error {}

  private let client: Client
  private let app = AppRequests.torture
  private let fault: ClusterFault?
  private(set) var tally = Tally()

  /// - Parameter fault: what goes wrong meanwhile; ``Excused`` is thrown for what comes of it.
  init(_ client: Client, under fault: ClusterFault? = nil) {
    self.client = client
    self.fault = fault
  }

  /// Tokens that an account has at most after a look: each leaves one.
  private static let mostTokens = 5

  /// Looks at everything that was promised to a user, and settles what was in doubt; false when there is no such user,
  /// and need not be.
  func check(_ account: Account, wasRestarted: Bool) throws -> Bool {
    let doubt = account.doubt
    account.doubt = nil
    account.age += 1
    let mayHaveHappened = wasRestarted && !account.isRefused && doubt?.cannotBe != true
    /// The doubt, if it is about this operation and has turned out to have happened.
    func settled(_ operation: Operation, _ hasHappened: (Account.Doubt) throws -> Bool) throws -> Account.Doubt? {
      guard let doubt, doubt.operation == operation else { return nil }
      let isThere = try hasHappened(doubt)
      guard mayHaveHappened || !isThere else {
        throw Violation("\(operation) of \(account.email) was refused, and has happened")
      }
      tally.settled(operation, happened: isThere)
      return isThere ? doubt : nil
    }

    let signUp = try settled(.signup) { _ in try isPassword(account.password, of: account, or: 400) }
    if doubt?.operation == .signup && signUp == nil { return false }
    if let reset = try settled(.reset, { try isPassword($0.text, of: account, or: 401) }) {
      account.changed(to: reset.text)
    }
    let token = try answer(
      try client.send(app.signIn(account.email, account.password)), [200], "the password of \(account.email)"
    )
    .text("api_authtoken")
    if let former = account.formerPasswords.last {
      _ = try answer(try client.send(app.signIn(account.email, former)), [401], "a former password of \(account.email)")
    }
    tally.verified += 2

    if let clear = try settled(.clear, { try answer(try client.send(app.photos($0.text)), [200, 401]).status == 401 }) {
      account.cleared(clear.text)
    }
    try checkTokens(of: account)
    if let note = try settled(.writeNote, { try notes(of: account).values.contains($0.text) }) {
      account.notes.merge(try notes(of: account).filter { $0.value == note.text }) { $1 }
    }
    if let doubt = try settled(.deleteNote, { try notes(of: account)[$0.note] == nil }) {
      account.notes[doubt.note] = nil
    }
    try checkNotes(of: account)

    let upload = try settled(.upload) { doubt in try list(token).contains { $0.title == doubt.photo?.title } }
    if var photo = upload?.photo {
      photo.id = try list(token).first { $0.title == photo.title }?.id ?? ""
      account.photos[photo.id] = photo
    }
    if let photo = try settled(.delete, { doubt in try !list(token).contains { $0.id == doubt.text } }) {
      account.deleted(photo.text)
    }
    try checkList(of: account, token)
    for photo in account.photos.values { try check(photo, of: account) }
    for id in account.deletedPhotos {
      _ = try answer(try client.send(AppRequest("GET", "/photos/\(id)")), [404], "a deleted photo of \(account.email)")
    }
    tally.verified += account.photos.count + account.deletedPhotos.count
    try keep(token, of: account)
    return true
  }

  /// - Parameter status: what is answered where it is not.
  private func isPassword(_ password: String, of account: Account, or status: Int) throws -> Bool {
    try answer(try client.send(app.signIn(account.email, password)), [200, status]).status == 200
  }

  private func checkTokens(of account: Account) throws {
    for token in account.tokens {
      _ = try answer(try client.send(app.photos(token)), [200], "a token of \(account.email)")
    }
    for token in account.endedTokens {
      _ = try answer(try client.send(app.photos(token)), [401], "a token of \(account.email) that has ended")
      _ = try answer(
        try client.send(app.refresh(token)), [401], "the refresh of a token of \(account.email) that has ended")
    }
    tally.verified += account.tokens.count + account.endedTokens.count
  }

  /// Keeps few enough tokens: of very many the server would end the oldest.
  private func keep(_ token: String, of account: Account) throws {
    account.tokens.append(token)
    while account.tokens.count > Self.mostTokens, let oldest = account.tokens.first {
      _ = try answer(try client.send(app.clear(oldest)), [200])
      account.cleared(oldest)
    }
  }

  func delete(_ photo: Account.Photo, of account: Account) throws {
    guard let token = account.tokens.last else { return }
    _ = try answer(try client.send(app.deletePhoto(token, photo.id)), [200])
    account.deleted(photo.id)
  }

  /// The list has the photos that it must have, and no others.
  func checkList(of account: Account, _ token: String) throws {
    let listed = try list(token)
    for (id, title) in listed where account.photos[id]?.title != title {
      throw Violation("get_photos of \(account.email) lists \(id) as \(title), not \(account.photos[id]?.title ?? "")")
    }
    let ids = Set(listed.map(\.id))
    for id in account.photos.keys where !ids.contains(id) {
      throw Violation("get_photos of \(account.email) does not list \(id)")
    }
    guard ids.count == listed.count else { throw Violation("get_photos of \(account.email) lists a photo twice") }
  }

  func check(_ photo: Account.Photo, of account: Account) throws {
    let what = "the photo \(photo.id) of \(account.email)"
    let bytes = try answer(try client.send(AppRequest("GET", "/photos/\(photo.id)")), [200], what, needs: .objects).body
    guard bytes.count == photo.byteCount, Digest.sha256(bytes) == photo.sha256 else {
      throw Violation(
        "\(what) has other bytes: \(bytes.count), not \(photo.byteCount)")
    }
  }

  /// The notes are those that they must be.
  func checkNotes(of account: Account) throws {
    let listed = try notes(of: account)
    guard listed == account.notes else {
      throw Violation("notes.json of \(account.email) lists \(listed), not \(account.notes)")
    }
    tally.verified += listed.count
  }

  /// The titles of a user's notes, by id.
  private func notes(of account: Account) throws -> [Int: String] {
    let answer = try answer(
      try client.send(app.notes(account.email, account.password)), [200], "the notes of \(account.email)")
    guard let list = answer.list else { throw Violation("notes.json answered \(answer.text)") }
    return Dictionary(list.map { ($0["id"] as? Int ?? 0, $0["title"] as? String ?? "") }) { first, _ in first }
  }

  private func list(_ token: String) throws -> [(id: String, title: String)] {
    let answer = try answer(try client.send(app.photos(token)), [200])
    guard let list = answer.list else { throw Violation("get_photos answered \(answer.text)") }
    return list.map { ($0["random_id"] as? String ?? "", $0["title"] as? String ?? "") }
  }

  private func answer(
    _ answer: RawResponse, _ wanted: [Int], _ what: String = "a request", needs place: ClusterFault.Place = .rows
  ) throws -> RawResponse {
    guard wanted.contains(answer.status) else {
      if fault?.refusal(answer, needs: place) != nil { throw Excused() }
      throw Violation("\(what) was answered \(answer.status), not \(wanted): \(answer.text)")
    }
    return answer
  }
}

extension RawResponse {
  /// A text of its object.
  func text(_ name: String) throws -> String {
    guard let value = object?[name] as? String else { throw Violation("no \(name) in \(text)") }
    return value
  }
}
