/// What clients need to be let in.
struct Credentials {
  let name: String
  let password: String
  /// Whether they were made just now.
  let isNew: Bool
}
