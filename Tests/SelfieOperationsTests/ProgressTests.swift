import SelfieOperations
import Testing

@Suite struct ProgressTests {
  @Test(arguments: [
    (
      Progress("Backing up", 1_204, of: 5_000, "photo", bytes: 1_200_000_000),
      "Backing up: 1,204 of 5,000 photos, 1.2 GB"
    ),
    (Progress("Checking", 3, "file"), "Checking: 3 files"),
    (Progress("Reading", bytes: 999, of: 12_000), "Reading: 999 B of 12.0 kB"),
    (Progress("Reading", bytes: 1_000), "Reading: 1.0 kB"),
  ])
  func `it says in words how far an operation has come`(progress: Progress, text: String) {
    #expect(progress.text == text)
  }
}
