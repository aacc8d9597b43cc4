# SPDX-License-Identifier: Apache-2.0
"""The C library (lightpath.h), through ctypes: calls release the interpreter's lock."""
import ctypes
import ctypes.util
import os
import pathlib
import shutil
import threading
from typing import Any, Callable, Optional

VARIABLE = "LIGHTPATH_LIBRARY"
NAME = "liblightpath.so.1"  # whose functions are declared below
ProgressFunction = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.c_void_p)


class Error(Exception):
    """What Lightpath refuses or fails at: one line that says where, what it got, what it wanted."""


def _paths() -> list[str]:
    """Where the library may be: where the environment says, beside the program, where the linker
    looks."""
    named = os.environ.get(VARIABLE)
    if named:
        return [named]
    paths = []
    program = os.environ.get("LIGHTPATH_PROGRAM") or shutil.which("lightpath")
    if program:
        folder = pathlib.Path(program).resolve().parent.parent
        paths = [str(path) for place in ("", "lib*/", "lib*/*/")
                 for path in sorted(folder.glob(place + NAME))]
    found = ctypes.util.find_library("lightpath")
    return paths + ([found] if found else [])


def _load() -> ctypes.CDLL:
    paths = _paths()
    for path in paths:
        try:
            return _declare(ctypes.CDLL(path))
        except OSError as error:
            if path == paths[-1]:
                raise Error(f"liblightpath: {error}") from error
    raise Error(f"liblightpath: found none beside a program lightpath on PATH, wanted Lightpath "
                f"installed, or its path in {VARIABLE}")


def _declare(library: ctypes.CDLL) -> ctypes.CDLL:
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    error = ctypes.POINTER(ctypes.c_void_p)
    for name, result, arguments in (
            ("lp_version", text, []),
            ("lp_free", None, [pointer]),
            ("lp_options_new", pointer, []),
            ("lp_options_set_progress", None, [pointer, ProgressFunction, pointer]),
            ("lp_options_free", None, [pointer]),
            ("lp_run", pointer, [ctypes.POINTER(text), pointer, error]),
            ("lp_result_json", text, [pointer]),
            ("lp_result_text", pointer, [pointer, error]),
            ("lp_result_page", pointer, [pointer, error]),
            ("lp_result_free", None, [pointer])):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """The library, loaded when it is first needed."""
    global _library
    if _library is None:
        _library = _load()
    return _library


def _call(function: Any, *arguments: Any) -> Any:
    """What @function returns; its error as an exception."""
    error = ctypes.c_void_p()
    result = function(*arguments, ctypes.byref(error))
    if result is None:
        line = ctypes.string_at(error.value).decode() if error.value else "unknown error"
        library().lp_free(error)
        raise Error(line)
    return result


class Run:
    """A command that ran, and what it printed."""

    def __init__(self, arguments: list[str],
                 progress: Optional[Callable[[float], Any]] = None) -> None:
        self._result: Any = None
        library()
        # A thread waits for the run, so that this one sees Ctrl-C and calls @progress.
        self._error: Optional[Error] = None
        self._fraction, self._stops = -1.0, False
        thread = threading.Thread(target=self._work, args=[arguments])
        thread.start()
        try:
            while thread.is_alive():
                thread.join(0.1)
                if progress is not None:
                    progress(self._fraction)
        except BaseException:
            self._stops = True
            thread.join()
            raise
        if self._error is not None:
            raise self._error

    def _work(self, arguments: list[str]) -> None:
        def tell(fraction: float, _data: Any) -> int:
            self._fraction = fraction
            return int(self._stops)

        words = (ctypes.c_char_p * (len(arguments) + 1))(*[word.encode() for word in arguments], None)
        function = ProgressFunction(tell)
        options = library().lp_options_new()
        library().lp_options_set_progress(options, function, None)
        try:
            self._result = _call(library().lp_run, words, options)
        except Error as error:
            self._error = error
        finally:
            library().lp_options_free(options)

    def __del__(self) -> None:
        if self._result is not None:
            library().lp_result_free(self._result)

    def json(self) -> str:
        return library().lp_result_json(self._result).decode()

    def text(self) -> str:
        return self._taken(library().lp_result_text)

    def page(self) -> str:
        return self._taken(library().lp_result_page)

    def _taken(self, function: Any) -> str:
        pointer = _call(function, self._result)
        text = ctypes.string_at(pointer).decode()
        library().lp_free(pointer)
        return text
