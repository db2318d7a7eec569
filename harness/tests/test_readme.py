"""The blocks of README.md that follow from records and code."""

import re

import pytest

from samewire.containers.compose import out_of_date
from samewire.idioms import load_steps
from samewire.manifest import find_servers
from samewire.models.pages import PageError
from samewire.readme import written


def test_readme_is_as_records_and_code_say():
    assert not out_of_date(written(find_servers(), load_steps())), "run: samewire readme"


def test_a_result_has_its_date_machine_and_record_and_leads_to_servers(tmp_path):
    page = tmp_path / "README.md"
    page.write_text("<!-- results -->\n<!-- /results -->\n<!-- snippets -->\n<!-- /snippets -->\n")
    text = written(find_servers(), load_steps(), page)[page]
    if "is kept." not in text:
        assert re.search(r"\d{4}, \d\d:\d\d UTC; profile \w+; \d+ rounds?; .*core", text)
        assert re.search(r"\[Record\]\(bench/records/.*\.json\.gz\)", text)
        assert re.search(r"\| \[[\w/-]+\]\(servers-\w+/[\w-]+/README\.md\) \| [\w-]+ \| [≥≤~ ]*[\d,]+", text)
    if "in two languages" not in text:
        assert text.count("```") >= 4


def test_what_is_deleted_is_left_out(tmp_path):
    page = tmp_path / "README.md"
    page.write_text("<!-- results -->\n<!-- /results -->\n<!-- snippets -->\n<!-- /snippets -->\n")
    text = written([], [], page)[page]
    assert "servers-" not in text
    assert "No step stands in two languages." in text


def test_a_page_without_a_place_is_told(tmp_path):
    page = tmp_path / "README.md"
    page.write_text("# Samewire\n")
    with pytest.raises(PageError, match=r"README\.md: needs the lines <!-- results -->"):
        written([], [], page)
