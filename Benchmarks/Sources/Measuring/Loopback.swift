import Glibc

/// TCP connections to a port of this machine.
public enum Loopback {
  /// A connecting socket. It is connected when it becomes writable.
  ///
  /// - Parameters:
  ///   - source: its own address.
  ///   - isTiny: whether it has a receive buffer of 4 KiB and segments as small as on the Internet. With the loopback
  ///     interface's segments, the server's kernel would buffer megabytes for it.
  public static func begin(port: UInt16, source: UInt32? = nil, isTiny: Bool) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    if isTiny {
      set(descriptor, SOL_SOCKET, SO_RCVBUF, 4096)
      set(descriptor, Int32(IPPROTO_TCP), TCP_MAXSEG, 1400)
    }
    guard source.map({ bind(descriptor, $0) }) ?? true, connect(descriptor, port) || errno == EINPROGRESS else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// From one address, because Linux has 28,000 ports for clients.
  private static let mostPerAddress = 5000

  /// A connected socket, with blocking reads, of one of many clients. Ends the program if it cannot be connected.
  public static func open(_ index: Int, port: UInt16) -> Int32 {
    guard let descriptor = open(port: port, source: UInt32(INADDR_LOOPBACK) + 1 + UInt32(index / mostPerAddress)) else {
      fail("connection \(index): \(String(cString: strerror(errno)))")
    }
    return descriptor
  }

  /// A connected socket with blocking reads, which time out after `timeout` seconds.
  ///
  /// - Parameter source: its own address. Each address in 127.0.0.0/8 has its own ports.
  public static func open(port: UInt16, source: UInt32? = nil, timeout seconds: Int = 5) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    var timeout = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    guard source.map({ bind(descriptor, $0) }) ?? true, connect(descriptor, port) else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func connect(_ descriptor: Int32, _ port: UInt16) -> Bool {
    withAddress(UInt32(INADDR_LOOPBACK), port) { Glibc.connect(descriptor, $0, $1) == 0 }
  }

  private static func bind(_ descriptor: Int32, _ source: UInt32) -> Bool {
    withAddress(source, 0) { Glibc.bind(descriptor, $0, $1) == 0 }
  }

  private static func withAddress<Result>(
    _ host: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
