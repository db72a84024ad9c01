import Glibc

/// A system call that failed.
public struct SystemError: Error, CustomStringConvertible {
  public let call: String
  public let number: Int32

  package init(_ call: String, number: Int32 = errno) {
    self.call = call
    self.number = number
  }

  public var description: String { "\(call): \(String(cString: strerror(number)))" }
}
