"""The features of segments fetched before they are added: segments lie here and there, and memory is slow to answer."""

from gpuparse.jit import spliced

from ..prefetch import prefetch

AHEAD = 512  # ids that are on their way while others are added
LINE = 16  # ids in a cache line


@spliced
def fetch_ahead(touched, begins, ends, features, fetched, under_way):
    """Fetch touched segments from number `fetched` on until enough ids are under way; both numbers as they are then."""
    while under_way < AHEAD and fetched < touched.size:
        s = touched[fetched]
        for at in range(begins[s], ends[s], LINE):
            prefetch(features, at)
        under_way += ends[s] - begins[s]
        fetched += 1
    return fetched, under_way
