// LocalCluster
