from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from ccweb.env import Env


@pytest.mark.parametrize(("word", "meant"), [("1", True), ("Yes", True), ("off", False), ("FALSE", False)])
def test_a_flag_is_read_in_any_case(word: str, meant: bool) -> None:
    assert Env({"X": word}).flag("X", default=not meant) is meant


def test_an_empty_value_counts_as_not_set() -> None:
    assert Env({"X": ""}).flag("X", default=True) is True


def test_a_flag_that_is_no_flag_is_named() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^X is 'maybe'; it must be one of 1, true, yes, on, 0"):
        Env({"X": "maybe"}).flag("X", default=False)


def test_a_choice_outside_its_words_is_named() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^X is 'most'; it must be one of full, none\.$"):
        Env({"X": "most"}).choice("X", ["full", "none"], "full")


def test_a_number_that_is_none_is_named() -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^X is '6 GB'; it must be a whole number\.$"):
        Env({"X": "6 GB"}).number("X", 1, least=0, most=9)


@pytest.mark.parametrize("value", ["0", "10"])
def test_a_number_out_of_bounds_is_named(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=rf"^X is {value}; it must be between 1 and 9\.$"):
        Env({"X": value}).number("X", 1, least=1, most=9)


@pytest.mark.parametrize("value", ["1", "9"])
def test_the_bounds_of_a_number_are_in(value: str) -> None:
    assert Env({"X": value}).number("X", 5, least=1, most=9) == int(value)


def test_a_folder_may_start_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    assert Env({"X": "~/data"}).folder("X", Path("unused")) == tmp_path / "data"


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()

    with pytest.raises(ImproperlyConfigured, match=r"^X is .*file, which is a file; it must be a folder\.$"):
        Env({"X": str(file)}).folder("X", tmp_path)


def test_words_stand_between_commas() -> None:
    assert Env({"X": "a, b,,c "}).words("X", []) == ["a", "b", "c"]


def test_a_secret_may_stand_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("hush\n")

    assert Env({"X_FILE": str(file)}).secret("X") == "hush"


def test_a_secret_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^X_FILE is .*absent, which cannot be read"):
        Env({"X_FILE": str(tmp_path / "absent")}).secret("X")


def test_a_place_need_not_be_there_yet(tmp_path: Path) -> None:
    assert Env({"X": str(tmp_path / "new.json")}).place("X", Path("unused")) == tmp_path / "new.json"


@pytest.mark.parametrize("name", ["", "no-such-folder/new.json"])
def test_a_place_that_cannot_hold_a_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"^X is .*; it must be a file in a folder that exists\.$"):
        Env({"X": str(tmp_path / name)}).place("X", Path("unused"))
