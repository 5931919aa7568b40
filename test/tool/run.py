#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""End-to-end test of the command-line tool: run.py PROGRAM [CASE...]. Cases that need a compiler that is absent are skipped by name."""

import ctypes
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
FIELDS = {"name", "backend", "status", "error", "origin", "artifacts", "seconds", "command", "log"}
HAS_CXX = shutil.which("g++") is not None
NVCC = shutil.which("nvcc") or (os.access("/usr/local/cuda/bin/nvcc", os.X_OK) and "/usr/local/cuda/bin/nvcc")

ANSWER = 'extern "C" int answer() { return %d; }\n'
# includes itself twice, 190 levels deep: no compiler comes to its end
ENDLESS = '#if __INCLUDE_LEVEL__ < 190\n#include "again.hpp"\n#include "again.hpp"\n#endif\n'


class ToolTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="kernix-tool-"))
        self.addCleanup(shutil.rmtree, self.root, True)
        (self.root / "tmp").mkdir()
        (self.root / "src").mkdir()
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("KERNIX_")}
        self.environment.update(KERNIX_CACHE_DIR=str(self.root / "cache"), TMPDIR=str(self.root / "tmp"))

    def write(self, name, text):
        path = self.root / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def start(self, *arguments, **more):
        return subprocess.Popen([str(PROGRAM), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=self.root, env=self.environment, **more)

    def run_tool(self, *arguments):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err.decode(errors="replace")

    def build(self, *arguments, status=0):
        """Runs `build --json`, checks every line's shape, and gives the lines by name."""
        code, out, err = self.run_tool("build", "--json", *arguments)
        self.assertEqual(code, status, err + out.decode(errors="replace"))
        lines = {}
        for line in out.decode("utf-8").splitlines():
            kernel = json.loads(line)
            self.assertLessEqual(FIELDS, kernel.keys())
            self.assertIn(kernel["status"], ("ok", "failed"))
            self.assertEqual(kernel["status"] == "ok", kernel["error"] is None)
            self.assertIn(kernel["origin"], ("compiler", "memory", "joined", "disk", "remote", None))
            self.assertEqual(kernel["origin"] is None, kernel["command"] == "")
            self.assertRegex(line, r'"seconds":\d+\.\d{6}[,}]')
            self.assertEqual(kernel["status"] == "ok", bool(kernel["artifacts"]))
            for artifact in kernel["artifacts"]:
                self.assertEqual(os.path.getsize(self.root / artifact["path"]), artifact["bytes"])
            lines.setdefault(kernel["name"], []).append(kernel)
        return lines

    def build_one(self, *arguments, status=0):
        lines = self.build(*arguments, status=status)
        self.assertEqual([len(each) for each in lines.values()], [1])
        return next(iter(lines.values()))[0]

    def call(self, kernel, function="answer"):
        return getattr(ctypes.CDLL(kernel["artifacts"][0]["path"]), function)()

    def live_processes(self):
        """Processes that work in this test's directories; the dead that nobody reaped don't count."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                words = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
                words += os.readlink(entry / "cwd").encode()
            except OSError:
                continue
            if state not in "ZX" and str(self.root).encode() in words:
                found.append((entry.name, (entry / "cmdline").read_bytes() if entry.exists() else b""))
        return found

    def wait_for_compiler(self, process):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if any(b"cc1plus" in words for _, words in self.live_processes()):
                return
            time.sleep(0.02)
        self.fail("no compiler was started: " + repr(process.communicate()))

    def assert_clean(self):
        self.assertEqual(self.live_processes(), [])
        self.assertEqual(sorted(os.listdir(self.root / "tmp")), [])


class WrongUse(ToolTest):
    def refused(self, *arguments, words=""):
        code, out, err = self.run_tool(*arguments)
        self.assertEqual(code, 2, (arguments, out, err))
        self.assertEqual(out, b"")
        self.assertIn(words, err)
        self.assertRegex(err, r"(?m)^kernix: .{8,}")
        self.assertFalse((self.root / "cache").exists(), "something was started")

    def test_wrong_words_are_refused(self):
        source = self.write("k.cpp", ANSWER % 1)
        self.refused()
        self.refused("biuld", source, words='"biuld"')
        self.refused("--nope", source, words="--nope")
        self.refused("", source)
        self.refused("build")
        self.refused("build", "--nope", source, words="--nope")
        self.refused("build", "--backend", "icc", source, words="icc")
        self.refused("build", "--backend", "", source, words="--backend")
        self.refused("build", "--kind", "exe", source, words="exe")
        self.refused("build", "--kind", "mlir", source, words="mlir")
        self.refused("build", "--std", "pascal", source, words="pascal")
        self.refused("build", "--json", "--cache", "", source, words="--cache")

    def test_wrong_numbers_are_refused(self):
        source = self.write("k.cpp", ANSWER % 1)
        for value in ("0", "-1", "1.5", "many", "", "99999999999999999999"):
            self.refused("build", "--jobs", value, source, words="--jobs")
        for value in ("0", "-1", "nan", "inf", "soon", "", "1e300"):
            self.refused("build", "--timeout", value, source, words="--timeout")
        for value in ("-1", "4", "s", ""):
            self.refused("build", "-O", value, source, words="-O")

    def test_wrong_lists_are_refused(self):
        source = self.write("k.cpp", ANSWER % 1)
        self.refused("build", "--arch", "sm_80,,sm_90", source, words="--arch")
        self.refused("build", "--arch", "sm_80", "sm_90", source, words="--arch sm_80,sm_90")
        self.refused("build", "-D", "1=2", source)
        self.refused("build", "--flag", "", source)
        self.refused("build", "-I", "", source)

    def test_files_without_a_backend_are_refused(self):
        self.refused("build", self.write("k.f90", "end\n"), words="k.f90")
        self.refused("build", self.write("k.cpp", "int x;\n"), self.write("README", "int x;\n"), words="README")
        self.refused("build", "")

    def test_backends_to_come_are_named(self):
        self.refused("build", self.write("k.hip", "int x;\n"), words="hipcc is not built in yet")
        self.refused("build", self.write("k.rs", "fn main() {}\n"), words="teenyc is not built in yet")
        self.refused("build", "--backend", "hipcc", self.write("k.cpp", "int x;\n"), words="hipcc is not built in yet")

    def test_an_output_directory_that_cannot_be_made_is_refused(self):
        source = self.write("k.cpp", ANSWER % 1)
        self.refused("build", "--output", source, source, words="output directory")

    def test_a_relative_cache_in_a_directory_that_is_gone_is_refused(self):
        (self.root / "gone").mkdir()
        words = 'cd gone && rmdir ../gone && exec "$0" build --cache here "$1"'
        done = subprocess.run(["sh", "-c", words, PROGRAM, self.write("k.cpp", ANSWER % 1)], cwd=self.root, capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b"here", done.stderr)

    def test_two_files_for_one_output_are_refused(self):
        sources = self.write("a/k.cpp", ANSWER % 1), self.write("b/k.cpp", ANSWER % 2)
        self.refused("build", "--output", "out", *sources, words="would both be written")

    def test_help_and_version_are_no_errors(self):
        for arguments in (("--help",), ("build", "--help"), ("--version",)):
            code, out, _ = self.run_tool(*arguments)
            self.assertEqual(code, 0)
            self.assertIn(b"kernix", out)
        _, out, _ = self.run_tool("build", "--help")
        for variable in (b"KERNIX_JOBS", b"KERNIX_COMPILE_TIMEOUT", b"KERNIX_CACHE_DIR"):
            self.assertIn(variable, out)


class BadFiles(ToolTest):
    def test_files_that_cannot_be_read_fail_alone(self):
        (self.root / "src" / "folder.cpp").mkdir()
        files = [self.root / "src" / "absent.cpp", self.root / "src" / "folder.cpp", self.write("empty.cpp", "")]
        os.mkfifo(self.root / "src" / "pipe.cpp")
        files.append(self.root / "src" / "pipe.cpp")
        os.symlink("/proc/self/mem", self.root / "src" / "faulty.cpp")  # opens, and gives an error when it is read
        files.append(self.root / "src" / "faulty.cpp")
        lines = self.build(*files, status=1)
        self.assertEqual(set(lines), {"absent", "folder", "empty", "pipe", "faulty"})
        for (kernel,) in lines.values():
            self.assertEqual(kernel["error"], "invalid_request")
            self.assertIn(kernel["name"] + ".cpp", kernel["reason"])

    @unittest.skipIf(os.geteuid() == 0, "root can read everything")
    def test_a_file_without_read_permission_fails(self):
        source = self.write("secret.cpp", ANSWER % 1)
        os.chmod(source, 0)
        self.assertIn("ermission", self.build_one(source, status=1)["reason"])

    def test_names_that_no_kernel_can_have_fail(self):
        self.assertEqual(self.build_one(self.write("a\nb.cpp", ANSWER % 1), status=1)["error"], "invalid_name")

    def test_names_of_any_bytes_give_valid_json(self):
        path = os.fsencode(self.root / "src") + b"/caf\xe9.cpp"
        process = subprocess.run([PROGRAM, "build", "--json", path], cwd=self.root, env=self.environment, capture_output=True)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(json.loads(process.stdout.decode("utf-8"))["name"], "caf\ufffd")


@unittest.skipUnless(HAS_CXX, "g++ is not installed")
class Cxx(ToolTest):
    def test_several_kernels_build_and_the_next_run_finds_them(self):
        sources = [self.write(f"k{i}.{suffix}", ANSWER % i) for i, suffix in enumerate(("cpp", "cc", "cxx"))]
        for origin in ("compiler", "disk"):
            lines = self.build(*sources)
            self.assertEqual(sorted(lines), ["k0", "k1", "k2"])
            for i in range(3):
                (kernel,) = lines[f"k{i}"]
                self.assertEqual(kernel["backend"], "cxx")
                self.assertEqual(kernel["origin"], origin)
                self.assertEqual(kernel["artifacts"][0]["kind"], "shared_object")
                self.assertGreater(kernel["seconds"], 0)
                self.assertIn("g++", kernel["command"])
                self.assertEqual(self.call(kernel), i)
        self.assert_clean()

    def test_printed_paths_outlive_the_program_and_force_replaces(self):
        source = self.write("k.cpp", ANSWER % 7)
        first = self.build_one("--cache", "own cache", source)
        self.assertTrue(first["artifacts"][0]["path"].startswith(str(self.root / "own cache")))
        self.assertEqual(self.build_one("--cache", "own cache", source)["artifacts"], first["artifacts"])
        forced = self.build_one("--cache", "own cache", "--force", source)
        self.assertEqual(forced["origin"], "compiler")
        self.assertEqual(self.call(forced), 7)
        self.assertFalse((self.root / "cache").exists())

    def test_output_gets_whole_copies(self):
        source = self.write("k.cpp", ANSWER % 1)
        for value in (1, 2):
            self.write("k.cpp", ANSWER % value)
            kernel = self.build_one("--output", "new/out", source)
            self.assertEqual(kernel["artifacts"][0]["path"], "new/out/k.so")
            copy = self.root / f"loaded{value}.so"  # a loader takes an equal name for the same object
            shutil.copy(self.root / "new/out/k.so", copy)
            self.assertEqual(ctypes.CDLL(str(copy)).answer(), value)
        self.assertEqual(os.listdir(self.root / "new/out"), ["k.so"])

    def test_output_has_the_mode_of_new_files_wherever_it_came_from(self):
        source = self.write("k.cpp", ANSWER % 1)
        for mask, mode in ((0o022, 0o644), (0o077, 0o600)):
            for origin in ("compiler", "disk"):
                words = 'umask "$1" && shift && exec "$@"'
                command = [str(PROGRAM), "build", "--json", "--cache", f"c{mask}", "--output", "out", source]
                done = subprocess.run(["sh", "-c", words, "sh", f"{mask:o}", *command], cwd=self.root, env=self.environment,
                                      capture_output=True, check=True)
                self.assertEqual(json.loads(done.stdout)["origin"], origin)
                self.assertEqual((self.root / "out/k.so").stat().st_mode & 0o777, mode)

    def test_equal_stems_are_told_apart_by_suffix(self):
        lines = self.build("--output", "out", self.write("k.cpp", ANSWER % 1), self.write("k.cc", ANSWER % 2),
                           self.write("other.cpp", ANSWER % 3))
        self.assertEqual(sorted(lines), ["k.cc", "k.cpp", "other"])
        self.assertEqual(sorted(os.listdir(self.root / "out")), ["k.cc.so", "k.cpp.so", "other.so"])

    def test_one_source_asked_for_twice_compiles_once(self):
        source = self.write("k.cpp", ANSWER % 1)
        kernels = [kernel for lines in self.build(source, source).values() for kernel in lines]
        self.assertEqual(len(kernels), 2)
        self.assertEqual(sum(kernel["origin"] == "compiler" for kernel in kernels), 1)

    def test_a_rejected_source_fails_alone_and_names_the_users_file(self):
        good, bad = self.write("good.cpp", ANSWER % 1), self.write("bad.cpp", "\n\nint x = nothing;\n")
        lines = self.build(good, bad, status=1)
        self.assertEqual(lines["good"][0]["status"], "ok")
        kernel = lines["bad"][0]
        self.assertEqual(kernel["error"], "compile_failed")
        self.assertIn("bad.cpp:3:", kernel["log"])
        self.assertIn("nothing", kernel["log"])
        self.assert_clean()

    def test_logs_of_any_bytes_are_valid_json(self):
        kernel = self.build_one(self.write("k.cpp", b"#error caf\xe9 \xff\n"), status=1)
        self.assertIn("caf\ufffd", kernel["log"])

    def test_warnings_of_a_success_are_in_the_log(self):
        source = self.write("k.cpp", '#warning "look here"\n' + ANSWER % 1)
        for _ in range(2):
            self.assertIn("look here", self.build_one(source)["log"])

    def test_options_reach_the_compiler(self):
        self.write("inc dir/value.hpp", "#define VALUE 40\n")
        source = self.write("k.cpp", '#include "value.hpp"\n#include <type_traits>\n#include <span>\n'
                            'extern "C" int answer() { return VALUE + MORE + LESS - __OPTIMIZE__ * 0; }\n')
        kernel = self.build_one("--std", "c++20", "-O", "1", "-I", self.root / "src/inc dir", "-D", "MORE=2", "-DLESS=0",
                                "--flag", "-fno-math-errno", "--flag=-Wall", "--link-flag", "-lm", source)
        self.assertEqual(self.call(kernel), 42)
        for token in ("-std=c++20", "-O1", "-fno-math-errno", "-Wall", "-lm"):
            self.assertIn(token, kernel["command"])

    def test_relative_paths_and_siblings_are_found(self):
        self.write("sibling.hpp", "#define VALUE 5\n")
        self.write("k.cpp", '#include "sibling.hpp"\n' + 'extern "C" int answer() { return VALUE; }\n')
        self.assertEqual(self.call(self.build_one("--cache", "c", "src/k.cpp")), 5)
        self.write("sibling.hpp", "#define VALUE 6\n")
        kernel = self.build_one("--cache", "c", "src/k.cpp")
        self.assertEqual((kernel["origin"], self.call(kernel)), ("compiler", 6))

    def test_objects_can_be_asked_for(self):
        kernel = self.build_one("--kind", "object", "--output", "out", self.write("k.cpp", ANSWER % 1))
        self.assertEqual(kernel["artifacts"][0]["kind"], "object")
        self.assertTrue((self.root / "out/k.o").exists())

    def test_a_kind_of_another_backend_is_refused(self):
        kernel = self.build_one("--kind", "cubin", self.write("k.cpp", ANSWER % 1), status=1)
        self.assertEqual(kernel["error"], "invalid_request")

    def test_a_cache_that_cannot_be_used_costs_a_warning_only(self):
        self.write("file", "no directory")
        code, out, err = self.run_tool("build", "--json", "--cache", "src/file", self.write("k.cpp", ANSWER % 9))
        self.assertEqual(code, 0, err)
        self.assertIn("warning", err)
        self.assertEqual(self.call(json.loads(out)), 9)

    def test_a_tmpdir_that_cannot_be_used_costs_nothing(self):
        self.write("file", "no directory")
        for self.environment["TMPDIR"] in ("", "relative", str(self.root / "src" / "file")):
            kernel = self.build_one("--cache", "src/file", self.write("k.cpp", ANSWER % 9))
            self.addCleanup(shutil.rmtree, pathlib.Path(kernel["artifacts"][0]["path"]).parent, True)
            self.assertEqual(self.call(kernel), 9)

    def test_people_get_a_line_and_the_compilers_words(self):
        code, out, err = self.run_tool("build", self.write("good.cpp", ANSWER % 1), self.write("bad.cpp", "nonsense\n"))
        self.assertEqual((code, err), (1, ""))
        heads = [line for line in out.decode().splitlines() if line and not line.startswith(" ")]
        self.assertEqual(len(heads), 2)
        beneath = out.decode().split("bad  cxx  failed: compile_failed", 1)[1].split("good  cxx")[0].splitlines()[1:]
        self.assertIn("bad.cpp:1:", beneath[0])
        self.assertTrue(all(line.startswith("  ") for line in beneath if line), beneath)

    def test_advice_names_the_tools_options(self):
        kernel = self.build_one(self.write("k.cpp", '#include "nowhere.hpp"\n'), status=1)
        self.assertEqual((kernel["error"], len(kernel["advice"])), ("compile_failed", 1))
        self.assertIn("-I", kernel["advice"][0])
        self.assertNotIn("compile_request", kernel["advice"][0])
        kernel = self.build_one("--flag=-march=nothing", self.write("k.cpp", ANSWER % 1), status=1)
        self.assertTrue(any("--flag" in each for each in kernel["advice"]), kernel["advice"])
        self.environment["KERNIX_OFFLINE"] = "1"
        kernel = self.build_one(self.write("k.cpp", ANSWER % 3), status=1)
        self.assertEqual((kernel["error"], kernel["origin"]), ("not_cached", None))
        self.assertIn("KERNIX_OFFLINE", kernel["advice"][0])

    def test_a_compiler_that_is_a_directory_fails_every_kernel(self):
        self.environment["KERNIX_CXX"] = str(self.root)
        kernel = self.build_one(self.write("k.cpp", ANSWER % 1), status=1)
        self.assertIn(kernel["error"], ("toolchain_not_found", "not_executable"))
        self.assertIn(str(self.root), kernel["reason"] + kernel["log"])


@unittest.skipUnless(HAS_CXX, "g++ is not installed")
class Ends(ToolTest):
    def setUp(self):
        super().setUp()
        self.write("again.hpp", ENDLESS)
        self.endless = self.write("endless.cpp", '#include "again.hpp"\n')

    def test_a_timeout_ends_the_compiler(self):
        kernel = self.build_one("--timeout", "0.5", self.endless, status=1)
        self.assertEqual(kernel["error"], "timed_out")
        self.assertIn("--timeout", kernel["advice"][0])
        self.assert_clean()

    def interrupted(self, number):
        process = self.start("build", "--json", "--jobs", "1", self.endless, self.write("waiting.cpp", ANSWER % 1))
        self.wait_for_compiler(process)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 128 + number, err)
        errors = {kernel["name"]: kernel["error"] for kernel in map(json.loads, out.decode().splitlines())}
        self.assertEqual(errors.get("endless"), "cancelled")
        self.assertEqual(set(errors), {"endless", "waiting"})
        self.assert_clean()

    def test_an_interrupt_ends_everything(self):
        self.interrupted(signal.SIGINT)

    def test_a_termination_ends_everything(self):
        self.interrupted(signal.SIGTERM)

    def test_a_reader_that_goes_away_ends_everything(self):
        process = self.start("build", "--json", "--jobs", "2", self.endless, self.write("quick.cpp", ANSWER % 1))
        process.stdout.close()
        self.assertEqual(process.wait(timeout=60), 1)
        process.stderr.close()
        self.assert_clean()


@unittest.skipUnless(NVCC, "nvcc is not installed")
class Nvcc(ToolTest):
    def test_two_architectures_and_ptx(self):
        source = self.write("k.cu", 'extern "C" __global__ void scale(float *x) { x[threadIdx.x] *= 2; }\n')
        kernel = self.build_one("--arch", "sm_80,sm_90", "--output", "out", source)
        self.assertEqual((kernel["backend"], kernel["artifacts"][0]["kind"]), ("nvcc", "shared_object"))
        kernel = self.build_one("--arch", "sm_80", "--kind", "ptx", "--output", "out", source)
        self.assertIn("scale", (self.root / "out/k.ptx").read_text())

    def test_an_unknown_architecture_is_named(self):
        source = self.write("k.cu", "__global__ void k() {}\n")
        kernel = self.build_one("--arch", "sm_52", source, status=1)
        self.assertEqual(kernel["error"], "unsupported_arch")
        self.assertIn("--arch", " ".join(kernel["advice"]))


class Documents(unittest.TestCase):
    """What the documents quote is what is compiled, and their tables name everything there is."""

    root = pathlib.Path(__file__).resolve().parents[2]

    def test_quoted_code_is_a_region_of_a_program(self):
        quotes = 0
        for page in [self.root / "README.md", *self.root.glob("doc/**/*.md")]:
            for file, region, code in re.findall(r"<!-- region: (\S+) (\S+) -->\n```cpp\n(.*?)\n```", page.read_text(), re.S):
                source = (self.root / file).read_text()
                quoted = re.search(rf"// \[{region}\]\n(.*?)\n *// \[/{region}\]", source, re.S)
                self.assertIsNotNone(quoted, (page, region))
                self.assertEqual(code, quoted[1], page)
                quotes += 1
        self.assertGreater(quotes, 0)

    def test_links_lead_somewhere(self):
        for page in [self.root / "README.md", *self.root.glob("doc/**/*.md")]:
            for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), (page, target))

    def test_every_error_and_setting_is_listed(self):
        page = (self.root / "doc/reference/errors.md").read_text()
        for value in re.findall(r"case errc::(\w+): return", (self.root / "include/kernix/core/error.hpp").read_text()):
            self.assertIn(f"| `{value}` |", page)
        page = (self.root / "doc/reference/settings.md").read_text()
        for header in self.root.glob("include/kernix/**/*.hpp"):
            for variable in re.findall(r'"((?:KERNIX|BRAINEVENT)_[A-Z_]*[A-Z])"', header.read_text()):
                self.assertIn(f"`{variable}`", page, header)


if __name__ == "__main__":
    if PROGRAM is None or not os.access(PROGRAM, os.X_OK):
        sys.exit("usage: run.py PROGRAM [CASE...]: PROGRAM is the built command-line tool")
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
