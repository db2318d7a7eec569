"""Stacks and what is worked out of them, and each profiler on a small program that really runs."""

import gzip
import subprocess
import time
from types import SimpleNamespace

import pytest

from samewire.manifest import SelectionError, find_servers
from samewire.profiling import ProfilingError, async_profiler, cpuprofile, perf_script, run
from samewire.profiling.cpuprofile import Window
from samewire.profiling.profilers import JvmProfiler, PerfProfiler, profiler_of
from samewire.profiling.stacks import Share, Stacks, differences
from samewire.race.experiment import ExperimentError, load
from samewire.toolchains import ToolMissing, missing, tool

ALWAYS = Window(0.0, float("inf"))

needs_node = pytest.mark.skipif(bool(missing(["node"])), reason="Node.js is missing")
needs_jdk = pytest.mark.skipif(bool(missing(["jdk", "maven"])), reason="a JDK or Maven is missing")


def _stacks(text):
    return Stacks.read(text)


def test_a_function_has_a_self_and_a_total_share_and_counts_once_where_it_calls_itself():
    functions = _stacks("main;fib;fib;fib 6\nmain;fib 1\nmain;print 3\n").functions()
    assert functions == {"fib": Share(0.7, 0.7), "print": Share(0.3, 0.3), "main": Share(0.0, 1.0)}
    assert list(functions) == ["fib", "print", "main"]


def test_a_share_is_of_samples_with_any_frame_that_matches():
    stacks = _stacks("main;console;write 10\nmain;write 30\nmain;draw 60\n")
    assert [stacks.share(pattern) for pattern in ("console", "write", "console|write", "^draw$", "none")] == [
        0.1, 0.4, 0.4, 0.6, 0.0,
    ]  # fmt: skip
    assert Stacks().share("main") == 0.0


def test_a_pattern_that_is_none_is_told():
    with pytest.raises(ProfilingError, match=r"'\(' is no regular expression: missing \)"):
        _stacks("main 1\n").share("(")


def test_collapsed_stacks_are_read_as_they_were_written(tmp_path):
    stacks = Stacks()
    stacks.add(["main", "a b (c.ts:3)"], 2)
    stacks.add(["main", "x;y\nz"])
    stacks.add(["main", "a b (c.ts:3)"])
    assert stacks.collapsed() == "main;a b (c.ts:3) 3\nmain;x:y z 1\n"
    assert Stacks.read(stacks.collapsed()) == stacks
    stacks.write(tmp_path / "stacks.gz")
    assert gzip.decompress((tmp_path / "stacks.gz").read_bytes()).decode() == stacks.collapsed()


@pytest.mark.parametrize("line", ["main", "main;draw x", " 3"])
def test_a_line_that_is_no_collapsed_stack_is_told(line):
    with pytest.raises(ProfilingError, match="not a collapsed stack"):
        _stacks(f"main 1\n{line}\n")


def test_functions_whose_self_shares_differ_most_come_first():
    found = differences(_stacks("main;a 50\nmain;b 50\n"), _stacks("main;a 40\nmain;b 10\nmain;log;c 50\n"))
    assert [(one.name, round(one.self_, 3)) for one in found] == [
        ("c", 0.5), ("b", -0.4), ("a", -0.1), ("log", 0.0), ("main", 0.0),
    ]  # fmt: skip
    assert (found[0].first, found[3].second) == (Share(0.0, 0.0), Share(0.0, 0.5))


PROGRAM = """
import { Worker } from 'node:worker_threads';
import { spin } from 'package';
function outer(ms) { spin(ms); }
new Worker(
  'const cell = new Int32Array(new SharedArrayBuffer(4));' +
  'function atomicsWaitLoop() { Atomics.wait(cell, 0, 0, 400); } atomicsWaitLoop();' +
  'function aside() { const end = Date.now() + 100; while (Date.now() < end); } aside();',
  { eval: true },
);
console.log(Number(process.hrtime.bigint()) / 1e9);
outer(400);
console.log(Number(process.hrtime.bigint()) / 1e9);
outer(200);
"""
PACKAGE = "export function spin(ms) { const end = Date.now() + ms; while (Date.now() < end); }\n"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A profile that Node.js wrote of a program with two threads, and the window of the first call of `outer`."""
    folder = tmp_path_factory.mktemp("program")
    package = folder / "node_modules/package"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"type": "module", "exports": "./index.js"}')
    (package / "index.js").write_text(PACKAGE)
    (folder / "main.mjs").write_text(PROGRAM)
    argv = [tool("node").path, "--cpu-prof", "--cpu-prof-dir=profiles", "--cpu-prof-interval=1000", "main.mjs"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=True, timeout=30)
    return folder, sorted(folder.glob("profiles/*.cpuprofile")), Window(*map(float, done.stdout.split()))


@needs_node
def test_a_profile_of_node_becomes_stacks_of_all_threads_without_those_that_wait(recorded):
    folder, files, _ = recorded
    assert len(files) == 2
    stacks, idle = cpuprofile.read(files, ALWAYS, folder)
    functions = stacks.functions()
    assert functions["outer main.mjs:4"].total >= functions["spin package/index.js:1"].total > 0.4
    assert stacks.share("^aside ") > 0.02
    assert not [name for name in functions if name.startswith(("atomicsWaitLoop", "(idle)"))]
    assert idle > 50
    assert "(root)" not in functions


@needs_node
def test_samples_outside_of_the_window_are_left_out(recorded):
    folder, files, window = recorded
    within, _ = cpuprofile.read(files, window, folder)
    everything, _ = cpuprofile.read(files, ALWAYS, folder)
    assert 0 < within.samples < 0.9 * everything.samples
    assert within.share("^outer main.mjs:4$") > 0.5
    assert cpuprofile.read(files, Window(0.0, 1e-3), folder) == (Stacks(), 0)


@pytest.mark.parametrize("text", ["", "{}", "[1", '{"nodes": [], "samples": [1]}'])
def test_a_file_that_is_no_profile_is_told(tmp_path, text):
    file = tmp_path / "a.cpuprofile"
    file.write_text(text)
    with pytest.raises(ProfilingError, match=r"a\.cpuprofile: not a profile of V8"):
        cpuprofile.read([file], ALWAYS, tmp_path)


SCRIPT = """\
apache2 15278/15278 72397.237793: 
\tffffffff82034822 tcp_v4_rcv ([kernel.kallsyms])
\t           fde60 __GI___writev (/usr/lib/x86_64-linux-gnu/libc.so.6)
\t           5d328 [unknown] (/usr/sbin/apache2)
\t           5d327 [unknown] (/usr/sbin/apache2)
\t           27304 __libc_start_main@@GLIBC_2.34 (/usr/lib/x86_64-linux-gnu/libc.so.6)
\t7fe309c34d40 [unknown] ([unknown])

apache2 15284/15284 72397.253594: 
\t          2ff9c1 zend::activate(int, char) (/usr/lib/apache2/modules/libphp8.2.so)

apache2 15284/15284 72397.253599: 

"""


def test_what_perf_prints_becomes_stacks():
    assert perf_script.read(SCRIPT).collapsed() == (
        "apache2;__libc_start_main;[apache2];__GI___writev;tcp_v4_rcv_[k] 1\n"
        "apache2;zend::activate(int, char) 1\n"
    )  # fmt: skip


@needs_jdk
def test_a_flame_graph_is_one_page_that_needs_no_network(tmp_path):
    stacks = _stacks("main;handle router/index.js:3 7\nmain;it's\\n 1\n")
    async_profiler.flame_graph(stacks, "a <b> & c", tmp_path / "flame.html")
    page = (tmp_path / "flame.html").read_text()
    assert "handle router/index.js:3" in page
    assert "<h1>a &lt;b&gt; &amp; c</h1>" in page
    assert not [word for word in ("src=", "<link", "@import", "url(", "fetch(") if word in page]
    async_profiler.flame_graph_of_difference(stacks, _stacks("main;new 1\n"), "c", tmp_path / "difference.html")
    assert "new" in (tmp_path / "difference.html").read_text()


@needs_jdk
def test_an_archive_that_is_not_the_pinned_one_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(async_profiler, "TOOLCHAINS", tmp_path)
    monkeypatch.setattr(async_profiler, "_SHA256", "0" * 64)
    with pytest.raises(ProfilingError, match=r"ap-loader\.jar: SHA-256 is [0-9a-f]{64}, not 0{64}\. Delete"):
        async_profiler.installed()
    assert not list(tmp_path.iterdir())


BUSY = "class Busy { static void spin() { for (long i = 0; ; i++) if (i < 0) return; } "
BUSY += "public static void main(String[] none) { System.out.println(1); spin(); } }"


@pytest.fixture
def jvm(tmp_path):
    (tmp_path / "Busy.java").write_text(BUSY)
    argv = [tool("jdk").path / "bin/java", "-XX:TieredStopAtLevel=1", "Busy.java"]
    with subprocess.Popen(argv, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout.readline() == b"1\n"
        yield SimpleNamespace(pid=process.pid, target=SimpleNamespace(name="busy"))
        process.terminate()


def _folder(parent):
    folder = parent / "profile"
    folder.mkdir()
    return folder


@needs_jdk
def test_a_jvm_is_sampled_by_the_first_event_that_can_be_had(jvm, tmp_path):
    profiler = JvmProfiler(_folder(tmp_path), events=("no-such-event", "ctimer"))
    profiler.prepare(jvm)
    profiler.begin(jvm)
    time.sleep(0.5)
    profiler.end(jvm)
    sampled = profiler.sampled(None)
    assert sampled.how["event"] == "ctimer"
    assert sampled.stacks.share(r"^Busy\.spin$") > 0.9
    assert 0.5 <= profiler.seconds < 2


@needs_jdk
def test_a_jvm_that_cannot_be_sampled_is_told(jvm, tmp_path):
    profiler = JvmProfiler(_folder(tmp_path), events=("no-such-event",))
    with pytest.raises(ProfilingError, match=r"busy: async-profiler cannot sample it .no-such-event: "):
        profiler.prepare(jvm)


def test_a_missing_perf_and_one_that_may_not_sample_are_told(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match="perf is missing: apt-get install linux-perf"):
        PerfProfiler.require()
    # Stands for one that the kernel refuses: that is a setting of the whole machine.
    (tmp_path / "perf").write_text("#!/bin/sh\necho No permission to enable cpu-clock event. >&2\nexit 255\n")
    (tmp_path / "perf").chmod(0o755)
    with pytest.raises(ProfilingError, match=r"perf may not sample .*: No permission to .*\nRun as root, or: sysctl"):
        PerfProfiler.require()


def test_every_server_has_a_profiler():
    assert {profiler_of(server).__name__ for server in find_servers()} == {
        "NodeProfiler",
        "JvmProfiler",
        "PerfProfiler",
    }


def test_a_profile_is_of_one_server_which_may_be_a_variant():
    server = next(server for server in find_servers() if server.variants)
    variant = next(iter(server.variants))
    assert run.entrant(f"{server.folder.name}:{variant}").id == f"{server.id}:{variant}"
    assert run.entrant(server.id).variant == ""
    with pytest.raises(ProfilingError, match=f"has no variant 'none'; there are: .*{variant}"):
        run.entrant(f"{server.id}:none")
    with pytest.raises(
        ProfilingError, match=f"'{server.service}' means [0-9]+ servers, a profile is of one: .*{server.id}"
    ):
        run.entrant(server.service)
    with pytest.raises(SelectionError, match=r"or folder with a server\.toml is called 'nobody'"):
        run.entrant("nobody")


def test_the_load_is_that_of_the_first_experiment_of_the_service_unless_one_is_named():
    assert run.experiment_of("randoms").name == "compression"
    assert run.experiment_of("randoms", "event-loop").name == "event-loop"
    with pytest.raises(ProfilingError, match=r"shortener loads the service 'shortener', not 'randoms'; .*event-loop"):
        run.experiment_of("randoms", "shortener")
    with pytest.raises(ProfilingError, match="no experiment loads the service 'tea'"):
        run.experiment_of("tea")
    with pytest.raises(ExperimentError, match="no experiment is called 'tea'"):
        run.experiment_of("randoms", "tea")


def test_the_seconds_are_divided_among_the_samples_of_uploads():
    upload = run.experiment_of("upload")
    wish = run.Wish(upload, "smoke", seconds=6.0)
    assert wish.race_profile().hold_s == pytest.approx(6.0 / len(upload.workload.samples))
    assert run.Wish(run.experiment_of("randoms"), "smoke", seconds=6.0).race_profile().hold_s == 6.0


@pytest.mark.parametrize("name", ["actors-todo", "event-loop"])
def test_a_profile_is_of_seconds_however_users_leave_in_a_race(name):
    profile = run.Wish(load(name), "paper", seconds=7.0).race_profile()
    assert (profile.hold_s, profile.requests_per_user) == (7.0, 0)
