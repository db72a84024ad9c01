/// Why a part of a test's surroundings does not work.
package struct NotPossible: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
