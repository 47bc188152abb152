"""Kernels of these tests are compiled into a folder of their own, never into the user's cache."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def kernel_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("OPTID_CACHE_DIR", str(folder))
        yield folder / "kernels"
