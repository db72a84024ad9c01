import Glibc
import Testing

@testable import Platform

@Suite struct ProcessStatisticsTests {
  @Test func `a process knows its memory, its processor time and its start`() throws {
    let statistics = ProcessStatistics.current()
    let resident = try #require(statistics.residentBytes)
    #expect(resident > 1024 * 1024)
    #expect(try #require(statistics.virtualBytes) > resident)
    #expect(try #require(statistics.cpuNanoseconds) > 0)
    let start = try #require(statistics.startTime)
    let now = Double(unixMilliseconds()) / 1000
    // The start is counted in ticks of ten milliseconds from a time in whole seconds.
    #expect(start > now - 86_400 && start < now + 2)
  }

  @Test func `a process knows how many descriptors it has open, and may have`() throws {
    var pair: [Int32] = [0, 0]
    let before = try #require(ProcessStatistics.current().openDescriptors)
    try #require(pipe(&pair) == 0)
    defer { for descriptor in pair { close(descriptor) } }
    // Other tests open and close files meanwhile.
    #expect(before > 2)
    #expect(try #require(ProcessStatistics.current().openDescriptors) > 2)
    #expect(try #require(ProcessStatistics.current().maxDescriptors) >= before)
  }
}
