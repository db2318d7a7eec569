"""The place where servers and databases run together: real databases."""

import psycopg

from samewire.lab import Lab


def test_a_database_that_was_stopped_is_there_again_for_whoever_needs_it_next() -> None:
    with Lab(private=True, links=100, brief=True) as lab:
        database = lab.database("postgresql")
        port = database.port
        database.kill()
        with psycopg.connect(lab.new_database("todo", "postgresql")) as connection:
            assert connection.info.port == port
        database.stop()
    assert lab.databases() == {}
