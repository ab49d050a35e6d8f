"""What Darkroom's queue is measured against: a function a reference, from cluster and options to result."""
