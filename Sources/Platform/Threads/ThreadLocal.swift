public import Glibc

/// An object of which each thread has its own, released when the thread ends. An object that threads share is in a
/// `Monitor`.
///
/// The pointers are safe because each carries one retain count, given up when the object is replaced and by the
/// key's destructor, and because a thread sees only its own.
@usableFromInline
package struct ThreadLocal<Object: AnyObject>: Sendable {
  @usableFromInline let key: pthread_key_t

  package init() {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { object in
      if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
    }
    guard code == 0 else { fatalError("pthread_key_create: no thread-specific key is left") }
    self.key = key
  }

  /// The calling thread's object; nil until it is set. Read several times in each request, so it is inlined.
  @inlinable package var value: Object? {
    get {
      guard let object = pthread_getspecific(key) else { return nil }
      return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
    }
    nonmutating set {
      let old = pthread_getspecific(key).map { Unmanaged<Object>.fromOpaque($0) }
      pthread_setspecific(key, newValue.map { Unmanaged.passRetained($0).toOpaque() })
      old?.release()
    }
  }
}
