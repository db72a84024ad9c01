import HTTPMessages
import Testing

@testable import SelfieAPI

@Suite struct ClientAddressTests {
  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("::ffff:192.0.2.1", "192.0.2.1", true),
    ("2001:db8::1", "2001:db8::2", true), ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
  ])
  func `a group is an IPv4 address or an IPv6 network of 64 bits`(one: String, two: String, isSame: Bool) throws {
    let (one, two) = (try #require(ClientAddress(one)), try #require(ClientAddress(two)))
    #expect((one.group == two.group) == isSame)
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.9.9.9", true), ("::1", true), ("::ffff:127.0.0.1", true), ("128.0.0.1", false),
    ("::2", false), ("fe80::1", false),
  ])
  func `loopback is known`(text: String, isLoopback: Bool) throws {
    #expect(try #require(ClientAddress(text)).isLoopback == isLoopback)
  }

  @Test(arguments: ["", "unknown", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4:80", "::g", "1.2.3.4/8"])
  func `what is no address is none`(text: String) {
    #expect(ClientAddress(text) == nil)
  }

  @Test(arguments: [
    // The socket's other end is not trusted: what it says does not count.
    ("198.51.100.1", ["203.0.113.9"], "198.51.100.1"),
    ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
    // Of several the last one that is no proxy: those before it anybody can write.
    ("10.0.0.1", ["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
    ("10.0.0.1", ["6.6.6.6, 203.0.113.9, 10.1.1.1"], "203.0.113.9"),
    ("10.0.0.1", ["6.6.6.6", "203.0.113.9"], "203.0.113.9"),
    ("10.0.0.1", ["6.6.6.6, junk"], "10.0.0.1"),
    ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
    ("10.0.0.1", [], "10.0.0.1"),
    ("fd00::1", ["2001:db8::7"], "2001:db8::7"),
  ])
  func `X-Forwarded-For counts from trusted proxies only`(peer: String, forwarded: [String], client: String) throws {
    let proxies = try #require(TrustedProxies("10.0.0.0/8, fd00::/8"))
    let request = Request(
      "GET", "/", fields: forwarded.map { (name: "X-Forwarded-For", value: $0) }, peer: peer)
    let found = try #require(ClientAddress(of: request, trusting: proxies))
    #expect(found.group == ClientAddress(client)?.group)
  }

  @Test(arguments: ["10.0.0.0/33", "10.0.0.0/-1", "x", "10.0.0.1/8/8", "::1/129", "10.0.0.0/"])
  func `what is no network is refused`(text: String) {
    #expect(TrustedProxies(text) == nil)
  }
}
