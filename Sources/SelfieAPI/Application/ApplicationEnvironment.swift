package import Cryptography
package import Logging
package import Platform

/// What an application gets from its process besides its settings. `ApplicationStorage` is where it keeps its data.
package struct ApplicationEnvironment: Sendable {
  package let pools: WorkerPools
  /// Counts what clients hold. All applications of a process and its HTTP server share one.
  package let memory: MemoryBudget
  /// The time in Unix milliseconds, for every rule about time but limits on what clients do within a time. In a cluster, the
  /// clocks of all machines must agree, because the rows that processes write are compared by it.
  package let clock: @Sendable () -> Int64
  package let logger: Logger
  package var random = RandomSource.system
  /// Monotonic milliseconds, for those limits.
  package var elapsed: @Sendable () -> Int64 = monotonicMilliseconds
  /// A time in milliseconds that no test sets, for what concerns this machine and not the API.
  package var uptime: @Sendable () -> Int64 = monotonicMilliseconds
  /// How long a client waits for a refusal that asks it to try again later.
  package var refusalDelay = Duration.seconds(1)

  package init(
    pools: WorkerPools, memory: MemoryBudget = MemoryBudget(), clock: @escaping @Sendable () -> Int64, logger: Logger
  ) {
    self.pools = pools
    self.memory = memory
    self.clock = clock
    self.logger = logger
  }
}
