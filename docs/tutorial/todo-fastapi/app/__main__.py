import logging
import signal
import sys

import uvicorn
from pydantic import ValidationError

from .limits import LimitedProtocol
from .main import create_app
from .settings import Settings


def main() -> None:
    # uvicorn stops gracefully, and then raises the signal once more.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    try:
        settings = Settings()
    except ValidationError as error:
        sys.exit(str(error))
    # A line for each request that uvicorn cannot read would let a client fill the log.
    logging.getLogger("uvicorn.error").addFilter(
        lambda record: record.levelno != logging.WARNING
    )
    uvicorn.run(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        http=LimitedProtocol,
        ws="none",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=8,
        h11_max_incomplete_event_size=16_384,
    )


if __name__ == "__main__":
    main()
