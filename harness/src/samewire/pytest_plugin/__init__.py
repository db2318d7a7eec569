"""pytest over running servers: which tests run against which server, what came of them, and the records of passes.

The controller starts databases and servers once, while the workers of pytest-xdist start and collect, and hands them
the addresses. `fixtures` has what a test is given.

A module says its layer with `pytestmark = pytest.mark.layer("wire")`. A module below `contract-tests/<service>/` is for
that service, one directly in `contract-tests/` for every service.
"""

_PARTS = "selection", "servers", "fixtures", "narrowing", "collection", "tracing", "reporting"
pytest_plugins = [f"{__name__}.{part}" for part in _PARTS]
