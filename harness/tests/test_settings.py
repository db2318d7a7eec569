import pytest

from samewire.contract.files import ContractError
from samewire.settings import Setting, settings

CHOICE = """
[LOG]
kind = "choice"
values = ["none", "sync"]
default = "none"
"""
BYTES = """
[LEAST_BYTES]
kind = "bytes"
default = 1024
minimum = 0
"""


@pytest.fixture
def written(tmp_path):
    def write(text):
        folder = tmp_path / "service"
        folder.mkdir()
        (folder / "settings.toml").write_text(text)
        return settings("service", tmp_path)

    return write


def test_a_service_without_a_file_has_none(tmp_path):
    assert settings("service", tmp_path) == ()


def test_kinds(written):
    folder, upstream, choice, least, most = written(f"""
[FOLDER]
kind = "folder"

[URL]
kind = "upstream"
service = "todo"
{CHOICE}{BYTES}
[MOST]
kind = "count"
default = 5
""")
    assert folder == Setting("FOLDER", "folder")
    assert upstream == Setting("URL", "upstream", service="todo")
    assert choice == Setting("LOG", "choice", "none", values=("none", "sync"))
    assert least == Setting("LEAST_BYTES", "bytes", 1024, minimum=0)
    assert most == Setting("MOST", "count", 5)
    assert [one.required for one in (folder, upstream, choice, least, most)] == [True, True, False, False, False]


def test_a_default_of_0(written):
    (setting,) = written(BYTES.replace("1024", "0"))
    assert (setting.default, setting.required) == (0, False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CHOICE.replace('"none"\n', '"loud"\n'), "'loud' is none of its values"),
        (CHOICE.replace('values = ["none", "sync"]', ""), "LOG"),
        (CHOICE.replace('"sync"]', '"none"]'), "LOG"),
        (CHOICE.replace('"sync"]', '"SYNC"]'), "LOG"),
        (CHOICE + "minimum = 0", "LOG"),
        (BYTES.replace("= 0", "= -1"), "LEAST_BYTES"),
        (BYTES.replace("1024", "-1"), "LEAST_BYTES"),
        (BYTES.replace("minimum = 0", "").replace("1024", "0"), "less than its minimum"),
        (BYTES.replace('"bytes"', '"octets"'), "LEAST_BYTES"),
        ("[least]\nkind = 'folder'", "least"),
        ("[", "settings.toml"),
    ],
)
def test_a_wrong_file_is_an_error(written, text, said):
    with pytest.raises(ContractError, match=said):
        written(text)
