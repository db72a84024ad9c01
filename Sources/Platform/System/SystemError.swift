import Glibc

/// A system call that failed. A failed call on a file is a `FileError`.
package struct SystemError: Error, CustomStringConvertible {
  package let call: String
  package let number: Int32

  package init(_ call: String, number: Int32 = errno) {
    self.call = call
    self.number = number
  }

  package var description: String { "\(call): \(String(cString: strerror(number)))" }
}
