import HTTPMessages
import Testing

@testable import SelfieAPI

@Suite struct ClientTests {
  private func network(of groups: [Client.Group]) -> Client.Group? { groups.first { !$0.isSite } }
  private func site(of groups: [Client.Group]) -> Client.Group? { groups.first(where: \.isSite) }

  /// What a limit counts as the client.
  private func client(_ text: String) throws -> [Client.Group] { Client.groups(of: try #require(ClientAddress(text))) }

  /// The client of a request through the trusted proxy 10.0.0.1.
  private func client(_ field: String, _ lines: [String], peer: String = "10.0.0.1") throws -> [Client.Group] {
    let proxies = try #require(TrustedProxies("10.0.0.0/8, fd00::/8"))
    let request = Request("GET", "/", fields: lines.map { (name: field, value: $0) }, peer: peer)
    return Client(of: request, trusting: proxies).groups
  }

  @Test(arguments: [
    ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false), ("::ffff:192.0.2.1", "192.0.2.1", true),
    ("2001:db8::1", "2001:db8::2", true), ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
    ("64:ff9b::192.0.2.1", "192.0.2.1", true), ("64:ff9b:0:0:0:1::1", "0.0.0.1", false),
  ])
  func `a client is an IPv4 address or an IPv6 network of 64 bits`(one: String, two: String, isSame: Bool) throws {
    let (one, two) = (try client(one), try client(two))
    #expect((network(of: one) == network(of: two)) == isSame)
  }

  @Test func `an IPv6 network of 48 bits is a site`() throws {
    let one = site(of: try client("2001:db8:1:2233::1"))
    #expect(one != nil)
    #expect(site(of: try client("2001:db8:1:ffff::1")) == one)
    #expect(site(of: try client("2001:db8:2:2233::1")) != one)
    #expect(try client("192.0.2.1").map(\.isSite) == [false])
  }

  @Test func `two prefixes of one address are two groups`() throws {
    #expect(Set(try client("2001:db8::")).count == 2)
  }

  @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
  func `this machine is not counted`(text: String) throws {
    #expect(try #require(ClientAddress(text)).isLoopback)
    #expect(try client(text) == [])
  }

  @Test(arguments: ["128.0.0.1", "::2", "fe80::1", "126.0.0.1", "1::1"])
  func `other machines are counted`(text: String) throws {
    #expect(!(try #require(ClientAddress(text)).isLoopback))
    #expect(try client(text) != [])
  }

  @Test(arguments: ["", "unknown", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.4:80", "::g", "1.2.3.4/8"])
  func `what is no address is none`(text: String) {
    #expect(ClientAddress(text) == nil)
  }

  /// A client can send any number of them, and of any length.
  @Test func `of very many hops, none is believed that is far away`() throws {
    let proxies = Array(repeating: "10.0.0.3", count: ForwardedHops.maxHops)
    #expect(
      try client("X-Forwarded-For", [(["192.0.2.1"] + proxies.dropFirst()).joined(separator: ",")])
        == client("192.0.2.1"))
    let far = try client("X-Forwarded-For", [(["192.0.2.1"] + proxies).joined(separator: ",")])
    #expect(far.map(\.isSite) == [true])
    let long = String(repeating: "1", count: 2000)
    #expect(try client("Forwarded", ["for=192.0.2.1;host=\(long)"]).map(\.isSite) == [true])
  }

  @Test(arguments: [
    // The socket's other end is not trusted: what it says does not count.
    ("198.51.100.1", ["203.0.113.9"], "198.51.100.1"),
    ("10.0.0.1", ["203.0.113.9"], "203.0.113.9"),
    // Of several the last one that is no proxy: those before it anybody can write.
    ("10.0.0.1", ["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
    ("10.0.0.1", ["6.6.6.6, 203.0.113.9, 10.1.1.1"], "203.0.113.9"),
    ("10.0.0.1", ["6.6.6.6", "203.0.113.9"], "203.0.113.9"),
    ("10.0.0.1", ["junk, 203.0.113.9"], "203.0.113.9"),
    ("10.0.0.1", ["\"6.6.6.6, 203.0.113.9"], "203.0.113.9"),
    ("10.0.0.1", ["203.0.113.9,, ,"], "203.0.113.9"),
    ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
    ("10.0.0.1", [","], "10.0.0.1"),
    ("10.0.0.1", [], "10.0.0.1"),
    ("fd00::1", ["2001:db8::7"], "2001:db8::7"),
  ])
  func `X-Forwarded-For counts from trusted proxies only`(peer: String, lines: [String], expected: String) throws {
    #expect(try client("X-Forwarded-For", lines, peer: peer) == client(expected))
  }

  @Test(arguments: [
    ("203.0.113.9:4711", "203.0.113.9"), ("\"203.0.113.9:4711\"", "203.0.113.9"), ("[203.0.113.9]", "203.0.113.9"),
    ("203.0.113.9:_port", "203.0.113.9"), ("2001:db8::7", "2001:db8::7"), ("[2001:db8::7]", "2001:db8::7"),
    ("[2001:db8::7]:4711", "2001:db8::7"), ("\"[2001:db8::7]:4711\"", "2001:db8::7"),
    ("\"\\[2001:db8::7]\"", "2001:db8::7"), ("2001:db8:0:0:0:0:0:7:4711", "2001:db8::7"),
    ("fe80::7%eth0", "fe80::7"), ("[fe80::7%25eth0]:80", "fe80::7"), ("::ffff:203.0.113.9", "203.0.113.9"),
  ])
  func `an address may have brackets, quotes, a zone and a port`(node: String, expected: String) throws {
    #expect(try client("X-Forwarded-For", [node]) == client(expected))
    #expect(try client("Forwarded", ["for=\(node)"]) == client(expected))
  }

  @Test(arguments: [
    (["for=203.0.113.9"], "203.0.113.9"),
    (["For=203.0.113.9; Proto=https; BY=10.0.0.1"], "203.0.113.9"),
    (["proto=https;by=\"a;for=6.6.6.6,b\";for=203.0.113.9"], "203.0.113.9"),
    (["for=6.6.6.6, for=203.0.113.9"], "203.0.113.9"),
    (["for=6.6.6.6, for=203.0.113.9, for=10.1.1.1;proto=http"], "203.0.113.9"),
    (["for=6.6.6.6", "for=\"[2001:db8::7]:80\";proto=http"], "2001:db8::7"),
    // What a client sends must not swallow what the proxy adds.
    (["for=\"6.6.6.6, for=203.0.113.9"], "203.0.113.9"),
    (["for=\"6.6.6.6, for=\"[2001:db8::7]\""], "2001:db8::7"),
    (["for=\"6.6.6.6\\, for=\"203.0.113.9\""], "203.0.113.9"),
  ])
  func `Forwarded counts like X-Forwarded-For`(lines: [String], expected: String) throws {
    #expect(try client("Forwarded", lines) == client(expected))
  }

  @Test func `a client cannot choose its address by the field that its proxy does not write`() throws {
    let fields = [(name: "Forwarded", value: "for=6.6.6.6"), (name: "X-Forwarded-For", value: "203.0.113.9")]
    let request = Request("GET", "/", fields: fields, peer: "10.0.0.1")
    let proxies = try #require(TrustedProxies("10.0.0.1"))
    #expect(Client(of: request, trusting: proxies).groups == (try client("203.0.113.9")))
  }

  @Test func `clients whose proxy hides their addresses are told apart by their names`() throws {
    let one = try client("Forwarded", ["for=_one"])
    #expect(one.map(\.isSite) == [false, true])
    #expect(one == (try client("Forwarded", ["for=6.6.6.6, for=\"_one:_80\""])))
    let two = try client("Forwarded", ["for=_two"])
    #expect(network(of: one) != network(of: two))
    #expect(site(of: one) == site(of: two))
    #expect(one != (try client("Forwarded", ["for=_one, for=10.0.0.2"])))
  }

  @Test(arguments: [
    "unknown", "unknown:80", "\"unknown\"", "Unknown", "junk", "_", "_a b", "[::1", "\"", "1.2.3.4.5", ":80",
    "_\(String(repeating: "a", count: 64))",
  ])
  func `clients of whom a proxy tells nothing count together, apart from the proxy itself`(node: String) throws {
    let hidden = try client("X-Forwarded-For", ["6.6.6.6, \(node)"])
    #expect(hidden.map(\.isSite) == [true])
    #expect(hidden == (try client("X-Forwarded-For", ["unknown"])))
    #expect(hidden == (try client("Forwarded", ["proto=https"])))
    #expect(hidden != (try client("X-Forwarded-For", [])))
  }

  @Test(arguments: ["10.0.0.0/33", "10.0.0.0/-1", "x", "10.0.0.1/8/8", "::1/129", "10.0.0.0/"])
  func `what is no network is refused`(text: String) {
    #expect(TrustedProxies(text) == nil)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.1", "10.0.0.2", false),
    ("2001:db8::/63", "2001:db8:0:1::1", true), ("2001:db8::/65", "2001:db8:0:0:8000::1", false),
    ("2001:db8::/65", "2001:db8:0:0:7000::1", true), ("0.0.0.0/0", "9.9.9.9", true), ("0.0.0.0/0", "::1", false),
    ("::/0", "9.9.9.9", true), ("::1/128", "::2", false),
  ])
  func `a network has the addresses that begin as it does`(network: String, text: String, isIn: Bool) throws {
    let address = try #require(ClientAddress(text))
    #expect(try #require(TrustedProxies(network)).contains(address) == isIn)
  }
}
