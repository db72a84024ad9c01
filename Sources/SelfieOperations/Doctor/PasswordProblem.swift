import Cryptography
import SelfieAPI

// Passwords that no sign-in can use, in a database that others have made: a hash of bcrypt's highest cost would keep a
// core busy for days. RowCheck.swift reports them, and so does a restore.

extension User {
  /// Why no sign-in works, and what helps; nil if one can.
  var passwordProblem: String? {
    PasswordHash.costProblem(of: passwordHash).map {
      "user \(id) <\(email)>: the password \($0), so no sign-in works. Set another one: "
        + "selfie-server user set-password \(email)"
    }
  }
}
