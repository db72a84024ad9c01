/// Addresses of this machine for programs that cannot choose a free port themselves: on an address of its own, a program
/// may take any port below those that the system hands out.
package enum LoopbackAddress {
  /// An address that nothing else uses: one of the 16 million of 127.0.0.0/8.
  package static func unused() -> String {
    // 127.0.0.0/16 has the address that everything else uses.
    "127.\(Int.random(in: 1...254)).\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
  }
}
