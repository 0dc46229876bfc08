"""Hand-overs to other packages: a file each, and no part of gpuparse needs one."""
