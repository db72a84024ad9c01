import Glibc

/// An open file, closed when it is released.
public final class OpenFile: Sendable {
  public let descriptor: Int32

  public init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}
