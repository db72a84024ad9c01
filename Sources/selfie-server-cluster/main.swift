import Cluster
import SelfieServer

// The product with PostgreSQL and S3. `PostgreSQLAndS3` in Cluster opens both, and `SelfieServerCommand` in
// SelfieServer has all commands.
SelfieServerCommand.main(cluster: PostgreSQLAndS3())
