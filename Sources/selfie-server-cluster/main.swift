import Cluster
import SelfieServer

// The product with PostgreSQL and S3. All commands are in SelfieServer.
SelfieServerCommand.main(cluster: PostgreSQLAndS3())
