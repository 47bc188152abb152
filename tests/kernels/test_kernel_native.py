"""Compiled kernels: what is cached and trusted, what happens without a compiler, and that nothing changes a bit that should not."""

import logging
import os
import pickle
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import casadi as ca
import numpy as np
import pytest

from optid.kernels import Kernel, native
from optid.kernels.cache import CacheError, find, folder, opened
from optid.kernels.casadi_code import casadi_source
from optid.kernels.tape import Tape
from optid.kernels.vector_code import vector_source


def function(constant=1.0):
    x = ca.SX.sym("x", 3)
    return ca.Function("secret_name", [x], [ca.vertcat(constant * ca.sin(x[0]) * x[1], ca.exp(x[2]) + x[0])], ["secret_input"], ["y"])


def samples(n):
    return np.random.default_rng(0).standard_normal((n, 3))


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """An empty cache, and a process that has not said anything yet."""
    monkeypatch.setenv("OPTID_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(native, "_told", set())
    return tmp_path / "cache" / "kernels"


def agrees(kernel):
    X = samples(50)
    np.testing.assert_allclose(kernel(X), Kernel(kernel.function, "interpreter")(X), rtol=1e-12)


@pytest.mark.parametrize("backend", ["simd", "compiled"])
def test_the_library_is_private_and_temporary_files_are_gone(own_cache, backend):
    agrees(Kernel(function(), backend))
    assert stat.S_IMODE(own_cache.stat().st_mode) == 0o700
    (library,) = own_cache.iterdir()
    assert library.name.startswith("kernel-")
    assert stat.S_IMODE(library.stat().st_mode) == 0o700


def test_second_kernel_takes_the_cached_library(own_cache, monkeypatch):
    agrees(Kernel(function(), "simd"))
    monkeypatch.setattr(native, "publish", lambda *_: pytest.fail("compiled again"))
    agrees(Kernel(function(), "simd"))


def test_c88_without_a_compiler_interprets_and_says_so_once(own_cache, monkeypatch, caplog):
    monkeypatch.setenv("PATH", str(own_cache))
    monkeypatch.delenv("CC", raising=False)
    with caplog.at_level(logging.WARNING):
        agrees(Kernel(function(), "simd"))
        agrees(Kernel(function(2.0), "compiled"))
    assert [r.getMessage() for r in caplog.records] == ["kernels are interpreted, several times slower: no C compiler cc, gcc or clang on PATH."]


def test_failing_compiler_interprets_and_shows_its_first_line(own_cache, tmp_path, monkeypatch, caplog):
    script = tmp_path / "broken"
    script.write_text('#!/bin/sh\ncase "$*" in *-dM*) exit 0;; esac\necho "no space left" >&2\necho more >&2\nexit 1\n')
    script.chmod(0o700)
    monkeypatch.setenv("CC", str(script))
    with caplog.at_level(logging.WARNING):
        agrees(Kernel(function(), "simd"))
    assert [r.getMessage() for r in caplog.records] == [f"kernels are interpreted, several times slower: the compiler {script} failed (no space left)."]
    assert list(own_cache.iterdir()) == []


def test_unusable_cache_folder_interprets_and_names_it(tmp_path, monkeypatch, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("OPTID_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(native, "_told", set())
    with caplog.at_level(logging.WARNING):
        agrees(Kernel(function(), "simd"))
    (record,) = caplog.records
    assert f"the cache folder {tmp_path / 'file' / 'kernels'} cannot be used" in record.getMessage()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser writes to read-only folders")
def test_read_only_cache_interprets(own_cache, caplog):
    own_cache.mkdir(parents=True, mode=0o500)
    with caplog.at_level(logging.WARNING):
        agrees(Kernel(function(), "simd"))
    assert "cannot be written" in caplog.text


@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_folder_that_others_may_write_is_refused(own_cache, mode):
    own_cache.mkdir(parents=True)
    own_cache.chmod(mode)
    with pytest.raises(CacheError, match="others may write to the cached folder"):
        opened(own_cache)


def test_planted_files_are_refused(own_cache, tmp_path, monkeypatch):
    directory = opened(own_cache)
    (directory / "written").write_bytes(b"")
    (directory / "written").chmod(0o722)
    with pytest.raises(CacheError, match="others may write to the cached file"):
        find(directory, "written")
    (directory / "link").symlink_to(directory / "written")
    with pytest.raises(CacheError, match="is not a plain file"):
        find(directory, "link")
    (directory / "own").write_bytes(b"")
    (directory / "own").chmod(0o700)
    assert find(directory, "own") == directory / "own"
    assert find(directory, "missing") is None
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(CacheError, match="belongs to another user"):
        find(directory, "own")


def test_folder_behind_a_link_or_in_an_open_folder_is_refused(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(CacheError, match="is not a plain folder"):
        opened(tmp_path / "link")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(CacheError, match="everybody may replace files"):
        opened(tmp_path / "open" / "cache")


def test_cache_folder_follows_the_environment(monkeypatch):
    monkeypatch.setenv("OPTID_CACHE_DIR", "/somewhere")
    assert str(folder()) == os.path.join("/somewhere", "kernels")
    monkeypatch.delenv("OPTID_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert str(folder()) == os.path.join("/elsewhere", "optid", "kernels")


def test_library_cut_short_is_made_again(own_cache, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(native, "_load", lambda path: path)
        Kernel(function(3.0), "simd")._choice.native(1)
    (library,) = own_cache.iterdir()
    library.write_bytes(b"")
    agrees(Kernel(function(3.0), "simd"))
    assert library.stat().st_size > 1000


CONCURRENT = """
import casadi as ca, numpy as np
from optid.kernels import Kernel
x = ca.SX.sym("x")
kernel = Kernel(ca.Function("f", [x], [ca.sin(x) * 1.2345]), "simd")
print(kernel(np.linspace(0, 1, 1000)[:, None]).tobytes().hex()[:2000])
"""


def test_concurrent_writers_end_with_one_library(own_cache):
    env = os.environ | {"OPTID_CACHE_DIR": str(own_cache.parent), "OMP_NUM_THREADS": "1"}
    processes = [subprocess.Popen([sys.executable, "-c", CONCURRENT], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [p.communicate() for p in processes]
    assert {out for out, _ in outputs} == {outputs[0][0]}
    assert outputs[0][0]
    assert not any(err for _, err in outputs)
    assert len(list(own_cache.iterdir())) == 1


def test_no_name_of_the_user_reaches_the_source():
    f = function()
    for source in (vector_source(Tape.of(f)), casadi_source(f)):
        assert "secret" not in source
        assert "optid_kernel" in source


def test_names_that_would_end_a_comment_are_not_compiled():
    x, y = ca.SX.sym("x"), ca.MX.sym("y")
    for name in ("a*/ evil(); /*", "a)->(b) */\nevil();\n/* c"):
        inner = ca.Function("inner", [x], [ca.sin(x)], [name], ["out"])
        for f in (inner, ca.Function("outer", [y], [inner.mapaccum(3)(y).T]), ca.Function("outer", [y], [inner.map(1)(y)])):
            assert casadi_source(f) is None
        branch = ca.Function("outer", [y], [ca.Function.if_else("branch", inner, inner)(y > 0, y)])
        assert casadi_source(branch) is None
        assert "evil" not in vector_source(Tape.of(inner))


def test_callbacks_have_no_code_and_are_interpreted(own_cache, caplog):
    class Square(ca.Callback):
        def __init__(self):
            ca.Callback.__init__(self)
            self.construct("square")

        def get_n_in(self):
            return 1

        def get_n_out(self):
            return 1

        def eval(self, arg):
            return [arg[0] ** 2]

    square = Square()
    x = ca.MX.sym("x")
    with caplog.at_level(logging.WARNING):
        Y = Kernel(ca.Function("f", [x], [square(x)]), "compiled")(np.arange(70.0)[:, None])
    np.testing.assert_array_equal(Y[:, 0, 0], np.arange(70.0) ** 2)
    assert len(caplog.records) == 1


def test_compiled_runs_loops_and_interpolants():
    """A fixed point loop, x <- cos x, against its known limit, beside a table."""
    x = ca.MX.sym("x")
    step = ca.Function("step", [x], [ca.cos(x)]).mapaccum(200)
    table = ca.interpolant("table", "linear", [[0.0, 1.0, 2.0]], [0.0, 10.0, 40.0])
    f = ca.Function("f", [x], [ca.vertcat(step(x)[-1], table(x))])
    values = np.linspace(0, 2, 301)[:, None]
    Y = Kernel(f, "compiled")(values)
    np.testing.assert_allclose(Y[:, 0, 0], 0.7390851332151607, rtol=1e-14)
    np.testing.assert_allclose(Y[:, 1, 0], np.interp(values[:, 0], [0.0, 1.0, 2.0], [0.0, 10.0, 40.0]), rtol=1e-12)


def test_bits_do_not_depend_on_threads_or_on_the_division_into_calls(monkeypatch):
    kernel = Kernel(function(), "simd")
    X = samples(10001) * 1e3
    X[::7] *= 1e6  # some lanes of a vector take the C library's sine
    monkeypatch.setattr(native, "available_threads", lambda: 1)
    one = kernel(X)
    monkeypatch.setattr(native, "available_threads", lambda: 3)
    assert np.array_equal(kernel(X), one, equal_nan=True)
    pieces = np.concatenate([kernel(X[:5]), kernel(X[5:4096]), kernel(X[4096:])])
    assert np.array_equal(pieces, one, equal_nan=True)
    blocks = np.concatenate([block.copy() for _, block in kernel.blocks(X, size=333)])
    assert np.array_equal(blocks, one, equal_nan=True)


def test_strided_and_single_column_inputs():
    kernel = Kernel(function(), "simd")
    X = np.asfortranarray(samples(100))
    assert np.array_equal(kernel(X), kernel(X.copy(order="C")))
    assert np.array_equal(kernel(np.repeat(X, 2, axis=0)[::2]), kernel(X))


def test_four_threads_share_one_compiled_kernel(own_cache):
    kernel = Kernel(function(5.0), "simd")
    X = samples(20)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: kernel(X), range(200)))
    assert all(np.array_equal(r, results[0]) for r in results)
    assert len(list(own_cache.iterdir())) == 1


def test_auto_decides_by_the_size_of_the_call_alone(own_cache):
    """Not by what was computed before, nor by what the cache holds: equal calls give equal bits."""
    small = Kernel(function(7.0))
    small(samples(500))
    assert not own_cache.exists()
    assert small.prepared(1000).backend == "interpreter"
    settled = Kernel(function(7.0)).prepared(10**9)
    assert settled.backend == "simd"
    assert settled.prepared(10) is settled
    assert len(list(own_cache.iterdir())) == 1
    again = Kernel(function(7.0))
    assert again.prepared(2 * 10**6).backend == "interpreter"
    assert again.prepared(10**9).backend == "simd"
    before = again(samples(500))
    assert again.prepared(500).backend == "interpreter"
    assert np.array_equal(before, Kernel(function(7.0), "interpreter")(samples(500)))
    assert pickle.loads(pickle.dumps(settled)).backend == "simd"
