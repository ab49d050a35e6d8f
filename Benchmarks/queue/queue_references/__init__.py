"""The references of Darkroom's queue. Each is one function, from cluster and options to result."""
