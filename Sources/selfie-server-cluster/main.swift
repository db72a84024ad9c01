import Cluster
import SelfieServerCommands

SelfieServerCommand.main(cluster: .postgreSQLAndS3)
