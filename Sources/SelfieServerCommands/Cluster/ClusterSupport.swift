/// What a product brings that keeps accounts in PostgreSQL and photos in S3. The default product has none, so that it
/// links neither of their clients.
package struct ClusterSupport: Sendable {
  /// The program's own; nil in the default product.
  @TaskLocal static var current: ClusterSupport?

  /// Every problem of settings that are all there, each as a sentence that names the setting. No secret is in one.
  let problems: @Sendable (ClusterSettings) -> [String]

  package init(problems: @escaping @Sendable (ClusterSettings) -> [String]) {
    self.problems = problems
  }
}
