/// Why a command of the owner's cannot do what it was asked for. The text says what to do about it.
package struct OperationError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
