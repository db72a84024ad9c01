import Testing

@testable import Platform

@Suite struct ProcessStatisticsTests {
  @Test func `a process knows its memory, its processor time, its descriptors and its start`() throws {
    let statistics = ProcessStatistics.current()
    let resident = try #require(statistics.residentBytes)
    #expect(resident > 1024 * 1024)
    #expect(try #require(statistics.virtualBytes) > resident)
    #expect(try #require(statistics.cpuNanoseconds) > 0)
    let open = try #require(statistics.openDescriptors)
    #expect(open > 2)
    #expect(try #require(statistics.maxDescriptors) >= open)
    let start = try #require(statistics.startTime)
    let now = Double(unixMilliseconds()) / 1000
    // The start is counted in ticks of ten milliseconds from a time in whole seconds.
    #expect(start > now - 86_400 && start < now + 2)
  }
}
