"""The queues that Darkroom's queue is measured against, each a function from a cluster and options to a result."""
