import HTTPMessages

extension Application {
  /// `POST /api/signup`: makes an account of `full_name`, `email` and the encrypted `password`.
  func signup(_ call: Call) async throws -> Response {
    try authentication.requireBasic(call.request)
    let parameters = try await call.parameters()
    guard parameters["full_name"].isPresent, parameters["email"].isPresent, parameters["password"].isPresent,
      let sentPassword = parameters["password"]
    else { throw APIError.parametersMissing }
    try signupThrottle.count(call.request)
    let words = Self.words(try parameters.text("full_name"))
    let email = try signupEmail(parameters)
    let password = passwords.decrypt(try PasswordText(sentPassword))

    let validation = try validate(words: words, email: email, password: password)
    guard validation.isValid, let password else { throw APIError(.badRequest, validation.message) }
    let passwordHash = try await passwords.hash(password, turn: hashTurns.signup(call.request))
    do {
      let user = try await users.insert(
        User(
          email: email, firstName: words.first, lastName: words.last, passwordHash: passwordHash, createdAt: clock()))
      return success(userJSON(user, token: nil), for: call.request)
    } catch is EmailTaken {
      var validation = Validation()
      validation.add("email", "has already been taken")
      throw APIError(.badRequest, validation.message)
    }
  }

  /// Replaces a value that is not a text by an invalid address: the original printed the value, and found that invalid.
  private func signupEmail(_ parameters: Parameters) throws -> String {
    switch parameters["email"] {
    case .string?: try parameters.text("email")
    case .object(let members)? where members.isEmpty: ""
    default: "?"
    }
  }

  private func validate(words: [String], email: String, password: [UInt8]?) throws -> Validation {
    var validation = Validation()
    if Validation.isBlank(email) { validation.add("email", "can't be blank") }
    validation.checkPassword(password, bytes: Self.signupPasswordBytes)
    if !Validation.isEmail(email) { validation.add("email", "is invalid") }
    if try users.find(email: email) != nil { validation.add("email", "has already been taken") }
    validation.checkLength("email", email)
    validation.checkLength("first_name", words.first)
    validation.checkLength("last_name", words.last)
    return validation
  }

  package static let signupPasswordBytes = 6...30

  /// Splits at ASCII white space, as Ruby's `split(" ")` does.
  package static func words(_ text: String) -> [String] {
    text.unicodeScalars
      .split { $0 == " " || ("\t"..."\r").contains($0) }
      .map { String($0) }
  }
}
