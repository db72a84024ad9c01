import Glibc

/// An object of which each thread may have one of its own, for the time of a call.
///
/// The pointer is safe because it is there only while `withValue`, on the same thread, holds the object.
public struct ThreadLocal<Object: AnyObject>: Sendable {
  private let key: pthread_key_t

  public init() {
    var key = pthread_key_t()
    guard pthread_key_create(&key, nil) == 0 else { fatalError("pthread_key_create: no thread-specific key is left") }
    self.key = key
  }

  /// The calling thread's object.
  public var value: Object? {
    pthread_getspecific(key).map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `body`, during which `object` is the calling thread's.
  public func withValue<Result>(_ object: Object, _ body: () throws -> Result) rethrows -> Result {
    let outer = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(object).toOpaque())
    defer {
      pthread_setspecific(key, outer)
      withExtendedLifetime(object) {}
    }
    return try body()
  }
}
