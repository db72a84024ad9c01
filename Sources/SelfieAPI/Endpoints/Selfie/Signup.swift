import HTTPMessages
import Platform

extension Application {
  /// `POST /api/signup`: makes an account of `full_name`, `email` and the encrypted `password`.
  func signup(_ call: Call, by apiPassword: APIPassword) async throws -> Response {
    try requireOpenSignup()
    let parameters = try await call.parameters()
    try parameters.require("full_name", "email", "password")
    let turn = try limits.countSignup(by: call.request)
    let words = Self.words(try parameters.text("full_name"))
    let email = try signupEmail(parameters)
    let password = apiPassword.decrypt(try PasswordText(parameters["password"]))

    let user = try await makeAccount(words: words, email: email, password: password) {
      try await passwords.hash($0, turn: turn)
    }
    call.request.context?.note { $0.userID = user.id }
    securityLog.log(.newAccount, by: call.request, on: .user(user.id))
    return success(userJSON(user, token: nil), for: call.request)
  }

  /// Makes an account, if its parts are such as sign-ups take.
  ///
  /// - Parameters:
  ///   - words: the user's first and last name.
  ///   - password: nil for one that did not decrypt.
  /// - Throws: 400 that says what is wrong.
  package func makeAccount(
    words: (first: String?, last: String?), email: String, password: [UInt8]?, hash: ([UInt8]) async throws -> String
  ) async throws -> User {
    var validation = Validation()
    if Validation.isBlank(email) { validation.add("email", "can't be blank") }
    validation.checkPassword(password, bytes: Self.signupPasswordBytes)
    if !Validation.isEmail(email) { validation.add("email", "is invalid") }
    if try await users.find(email: email) != nil { validation.add("email", "has already been taken") }
    validation.checkLength("email", email)
    validation.checkLength("first_name", words.first)
    validation.checkLength("last_name", words.last)
    guard validation.isValid, let password else { throw APIError(.badRequest, validation.message) }
    let passwordHash = try await hash(password)
    do {
      return try await users.insert(
        User(
          email: email, firstName: words.first, lastName: words.last, passwordHash: passwordHash, createdAt: clock()))
    } catch Refusal.accountExists {
      var validation = Validation()
      validation.add("email", "has already been taken")
      throw APIError(.badRequest, validation.message)
    }
  }

  /// - Throws: 403 where only the owner makes accounts.
  func requireOpenSignup() throws {
    guard settings.signup == .open else {
      throw APIError(
        .forbidden, "This server takes no sign-ups. Ask its owner for an account.", reason: .signupClosed)
    }
  }

  /// An invalid address in place of a value that is not a text. The original found numbers and Booleans invalid, and
  /// everything else blank, too.
  private func signupEmail(_ parameters: Parameters) throws -> String {
    switch parameters["email"] {
    case .string?: try parameters.text("email")
    case .number?, .bool?: "?"
    default: ""
    }
  }

  package static let signupPasswordBytes = 6...30

  /// The first and the last word, which are the same if there is one only. As Ruby's `split(" ")` does, it splits at
  /// ASCII white space.
  package static func words(_ text: String) -> (first: String?, last: String?) {
    // Of bytes, since a pass over the scalars of a long text holds an event loop ten times as long.
    let bytes = Array(text.utf8)
    guard let start = bytes.firstIndex(where: { !$0.isASCIISpace }),
      let end = bytes.lastIndex(where: { !$0.isASCIISpace })
    else { return (nil, nil) }
    let words = bytes[start...end]
    let first = words.prefix { !$0.isASCIISpace }
    let last = words.lastIndex(where: \.isASCIISpace).map { words[$0...].dropFirst() } ?? words
    return (String(decoding: first, as: UTF8.self), String(decoding: last, as: UTF8.self))
  }
}
