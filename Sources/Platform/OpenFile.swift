import Glibc

/// An open file: closed when nobody holds it any more.
public final class OpenFile: Sendable {
  public let descriptor: Int32

  /// Takes over an open descriptor.
  public init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }
}
