/// How far an exchange is from meeting a condition.
struct Distance: ExpressibleByIntegerLiteral {
  let value: Int

  init(integerLiteral value: Int) { self.value = value }
  init(_ value: Int) { self.value = value }

  /// Of a condition that only the end of a request decides.
  static let open: Distance = 0
  var isOpen: Bool { value == 0 }
}
