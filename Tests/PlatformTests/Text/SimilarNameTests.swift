import Platform
import Testing

@Suite struct SimilarNameTests {
  @Test(arguments: [
    ("list", "list", 0), ("lsit", "list", 1), ("lst", "list", 1), ("lists", "list", 1), ("", "list", 4),
    ("abc", "", 3), ("kitten", "sitting", 3), ("ca", "abc", 3),
  ])
  func `exchanged letters are one mistake`(first: String, second: String, distance: Int) {
    #expect(first.distance(to: second) == distance)
  }
}
