import Testing

@testable import HTTPServer

@Suite struct ConnectionLimitTests {
  @Test(arguments: [(64, 32), (200, 100), (256, 128), (1_024, 896), (1_048_576, 16_384)])
  func `connections leave descriptors for everything else`(descriptors: Int, connections: Int) {
    #expect(Limits().maxConnections(descriptors: descriptors) == connections)
  }
}
