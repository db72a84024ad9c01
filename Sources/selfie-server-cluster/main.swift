import Cluster
import SelfieServerCommands

SelfieServerCommand.main(cluster: PostgreSQLAndS3())
