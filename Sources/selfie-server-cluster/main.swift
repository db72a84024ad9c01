import Cluster
import SelfieServer

SelfieServerCommand.main(cluster: PostgreSQLAndS3())
