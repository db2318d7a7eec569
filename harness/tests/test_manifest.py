import re

import pytest

from samewire.datasets import schema
from samewire.manifest import (
    ManifestError,
    SelectionError,
    add_folder,
    broken_manifests,
    find_servers,
    load,
    select,
    with_transports,
)

MANIFEST = """
service = "shortener"
language = "TypeScript"
store = "postgresql"
concurrency = "event-loop"
needs = ["node"]
build = []
run = ["node", "src/main.ts"]

[stack]
"node:http" = "HTTP server"
pg = "database driver"
"""


@pytest.fixture
def checkout(tmp_path):
    def write(folder, text=MANIFEST):
        path = tmp_path / folder / "server.toml"
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return path

    write("servers-node/shortener-pg")
    write("servers-java/todo-spring", MANIFEST.replace('"shortener"', '"todo"'))
    return tmp_path, write


def test_identity_is_the_path_and_folders_alone_make_the_list(checkout):
    root, write = checkout
    assert [server.id for server in find_servers(root)] == ["servers-java/todo-spring", "servers-node/shortener-pg"]
    write("servers-php/shortener-apache-pg")
    assert len(find_servers(root)) == 3


def test_names_select_by_service_id_or_folder(checkout):
    servers = find_servers(checkout[0])
    for name in ("shortener", "servers-node/shortener-pg", "./servers-node/shortener-pg/", "shortener-pg"):
        assert [server.id for server in select(servers, [name])] == ["servers-node/shortener-pg"]
    assert select(servers, []) == servers


def test_an_unknown_name_is_an_error_that_lists_the_known_ones(checkout):
    with pytest.raises(SelectionError, match=r"'tea'.*servers-node/shortener-pg.*todo"):
        select(find_servers(checkout[0]), ["tea"])
    with pytest.raises(SelectionError, match=r"'shortner'\. Did you mean 'shortener'\?"):
        select(find_servers(checkout[0]), ["shortner"])


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"event-loop"', '"goroutines"', r"concurrency.*goroutines"),
        ("build = []", "bild = []", r"bild|build"),
        ('service = "shortener"', "", r"service"),
        ('"shortener"', '"shortner"', r"no contract is called 'shortner'; there are: .*shortener"),
        ('"HTTP server"', '"framework"', r"HTTP server"),
        ('needs = ["node"]', 'needs = ["node"', r"Unclosed|Expected"),
    ],
)
def test_a_bad_manifest_is_an_error_that_names_file_and_reason(checkout, old, new, reason):
    root, write = checkout
    path = write("servers-node/bad", MANIFEST.replace(old, new))
    with pytest.raises(ManifestError, match=rf"servers-node/bad/server\.toml.*({reason})"):
        load(path, root)


def test_every_manifest_of_the_checkout_is_well_formed():
    assert not broken_manifests()
    assert all(server.http_server for server in find_servers())


def test_a_broken_manifest_breaks_its_own_server_alone(checkout, caplog):
    root, write = checkout
    write("servers-node/bad", MANIFEST.replace("build = []", "bild = []"))
    for _ in range(2):
        assert [server.id for server in find_servers(root)] == ["servers-java/todo-spring", "servers-node/shortener-pg"]
    assert list(broken_manifests(root)) == ["servers-node/bad"]
    (told,) = caplog.messages
    assert "servers-node/bad/server.toml" in told
    assert "left out" in told


def test_a_folder_anywhere_is_a_server_by_its_name(checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("SAMEWIRE_WITH", "")
    folder = checkout[1]("elsewhere/shortener-go").parent
    for _ in range(2):
        server = add_folder(folder)
        assert (server.id, server.folder, server.elsewhere) == ("shortener-go", folder, True)
        assert [one for one in find_servers() if one.elsewhere] == [server]
    assert select(find_servers(), ["shortener-go"]) == [server]
    with pytest.raises(ManifestError, match="has the same name"):
        add_folder(checkout[1]("another/shortener-go").parent)
    with pytest.raises(ManifestError, match=r"no server.toml is there\. Make one: samewire new"):
        add_folder(tmp_path)


def test_a_server_has_the_table_of_its_contract() -> None:
    for server in find_servers():
        file = server.folder / "schema.sql"
        if file.exists():
            assert _words(file.read_text()) == _words(schema(server.service)), file


def _words(text: str) -> list[str]:
    """The words and signs of SQL, however they are set."""
    return re.findall(r"\w+|[^\w\s]", text.lower())


CHAT = (
    MANIFEST.replace('"shortener"', '"chat"\ntransport = "socket.io"')
    + """
[variants.batched]
description = "twice a second"
env = { DELIVERY = "batched" }
transport = "socket.io-batched"

[variants.quiet]
description = "without a log"
env = { LOG = "off" }
"""
)


def test_a_variant_with_a_transport_is_judged_as_a_server_is(checkout):
    root, write = checkout
    chat = load(write("servers-node/chat-socketio", CHAT), root)
    one, batched = with_transports([chat])
    assert (one, one.name, one.transport) == (chat, "servers-node/chat-socketio", "socket.io")
    assert (batched.name, batched.transport) == ("servers-node/chat-socketio:batched", "socket.io-batched")
    assert (batched.id, batched.slug, batched.folder) == (chat.id, chat.slug, chat.folder)
    assert chat.in_variant("quiet").transport == "socket.io"


def test_a_variant_may_have_a_command_of_its_own(checkout):
    root, write = checkout
    heap = '[variants.heap]\ndescription = "more heap"\nrun = ["node", "--max-old-space-size=1024", "src/main.ts"]\n'
    server = load(write("servers-node/shortener-heap", MANIFEST + heap), root)
    variant = server.in_variant("heap")
    assert (variant.run, variant.id) == (("node", "--max-old-space-size=1024", "src/main.ts"), server.id)
    with pytest.raises(SelectionError, match=r"has no variant 'none': write \[variants\.none\] into its server\.toml"):
        server.in_variant("none")
    assert server.in_variant("").run == server.run == ("node", "src/main.ts")
    quiet = load(write("servers-node/chat-socketio", CHAT), root).in_variant("quiet")
    assert quiet.run == ("node", "src/main.ts")


def test_a_variant_without_environment_and_command_is_an_error(checkout):
    root, write = checkout
    path = write("servers-node/bad", MANIFEST + '[variants.same]\ndescription = "the same"\n')
    with pytest.raises(ManifestError, match=r"variants\.same"):
        load(path, root)


def test_only_a_chat_has_variants_with_a_transport(checkout):
    root, write = checkout
    path = write("servers-node/bad", CHAT.replace('"chat"\ntransport = "socket.io"', '"todo"'))
    with pytest.raises(ManifestError, match=r"variants\.batched"):
        load(path, root)
