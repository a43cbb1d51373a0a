#!/usr/bin/env bash
# From a fresh Debian 12 to a compiled script, or to all tests: installs what is missing, configures, builds, runs.
# Everything this script says goes to stderr, so that stdout is the program's alone.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    cat <<'TXT'
usage: ./bootstrap.sh [--preset=release|debug|asan|tsan] COMMAND

  run FILE.py [ARGS...]   compile the script to a native program and run it
  test [CTEST-OPTIONS]    build everything and run all tests
  build [TARGETS]         build everything, or the targets named
  deps                    list what is needed and why, and whether it is here

Each command first installs what is missing (as root, through apt), configures and builds; where nothing is to be done, nothing is done.
Exit codes: 0 fine, 1 the build or a test failed, 2 usage, 3 the machine lacks something; `run` ends with the program's own code.
TXT
}

if [ -t 2 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' red=$'\e[1;31m' plain=$'\e[0m'; else bold='' red='' plain=''; fi
say() { printf '%s\n' "${bold}bootstrap:${plain} $*" >&2; }
stop() { # stop EXIT-CODE MESSAGE
    printf '%s\n' "${red}bootstrap:${plain} $2" >&2
    exit "$1"
}

# ---- what is needed: package | how to see that it is here (a command, or a file) | why
# NN stands for LLVM's version; see llvm_version.
requirements='
g++                | command c++                                            | compiles sifr (C++20)
cmake              | command cmake                                          | configures the build
ninja-build        | command ninja                                          | runs the build
llvm-NN-dev        | file /usr/lib/llvm-NN/lib/cmake/llvm/LLVMConfig.cmake  | generates the machine code
liblld-NN-dev      | file /usr/lib/llvm-NN/lib/cmake/lld/LLDConfig.cmake    | links the programs that sifr writes, without a compiler on the machine
libfmt-dev         | file /usr/include/fmt/format.h                         | formats text (g++ 12 has no <format>)
libcli11-dev       | file /usr/include/CLI/CLI.hpp                          | reads the command line
nlohmann-json3-dev | file /usr/include/nlohmann/json.hpp                    | reads and writes JSON (remarks, machine-readable errors)
libgtest-dev       | file /usr/include/gtest/gtest.h                        | runs the tests
'

# Not installed by themselves; used where they are.
optional='
ccache             | command ccache                                         | makes a second build quick
libbenchmark-dev   | file /usr/include/benchmark/benchmark.h                | runs the micro-benchmarks
'

has_candidate() { # has_candidate PACKAGE: apt could install it
    [[ $(apt-cache policy "$1" 2>/dev/null) =~ Candidate:\ [0-9] ]]
}

accepted_llvm='22 21 20 19'

# The newest accepted LLVM that is installed with its headers; else the newest that apt offers; else the one we would like best.
llvm_version() {
    local version
    for version in $accepted_llvm; do
        if [ -e "/usr/lib/llvm-$version/lib/cmake/llvm/LLVMConfig.cmake" ]; then echo "$version"; return; fi
    done
    if command -v apt-cache >/dev/null; then
        for version in $accepted_llvm; do
            if has_candidate "llvm-$version-dev"; then echo "$version"; return; fi
        done
    fi
    echo "${accepted_llvm%% *}"
}

# rows TABLE: its rows as `package|probe|why`, without the blanks, with LLVM's version filled in.
rows() { printf '%s\n' "${1//NN/$llvm}" | sed -e '/^$/d' -e 's/ *| */|/g'; }

is_here() { # is_here 'command NAME' | 'file PATH'
    case "$1" in
        command\ *) command -v "${1#command }" >/dev/null ;;
        file\ *) [ -e "${1#file }" ] ;;
    esac
}

find_missing() { # sets `missing` (packages) and `reasons` (one line each)
    llvm=$(llvm_version)
    missing=() reasons=()
    local package probe why
    while IFS='|' read -r package probe why; do
        is_here "$probe" && continue
        missing+=("$package")
        reasons+=("$(printf '  %-20s %s' "$package" "$why")")
    done < <(rows "$requirements")
}

list_requirements() {
    llvm=$(llvm_version)
    local package probe why mark
    while IFS='|' read -r package probe why; do
        if is_here "$probe"; then mark=here; else mark=missing; fi
        printf '%-20s %-8s %s\n' "$package" "$mark" "$why"
    done < <(rows "$requirements"; rows "$optional" | sed 's/$/ (optional)/')
}

install_missing() {
    find_missing
    [ ${#missing[@]} -eq 0 ] && return
    if ! command -v apt-get >/dev/null; then
        printf '%s\n' "${reasons[@]}" >&2
        stop 3 "these are needed (names of Debian 12's packages); install them with this system's package manager, then run this again"
    fi
    if [ "$(id -u)" -ne 0 ]; then
        printf '%s\n' "${reasons[@]}" >&2
        stop 3 "these packages are missing; as root: apt-get install --no-install-recommends ${missing[*]}"
    fi
    say "reading the package lists"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >&2 || stop 3 "apt-get update failed; see above"
    find_missing # now that the lists are here, the version of LLVM may be another one
    local package
    for package in "${missing[@]}"; do
        has_candidate "$package" ||
            stop 3 "apt has no package '$package'; on Debian 12, LLVM comes with the security suite: \
deb http://deb.debian.org/debian-security bookworm-security main"
    done
    say "installing:"
    printf '%s\n' "${reasons[@]}" >&2
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1 ||
        { tail -n 20 "$log" >&2; stop 3 "apt-get install failed; the whole log is $log"; }
}

configure() {
    local stamp=$build/configured
    if [ -e "$build/build.ninja" ] && [ "$stamp" -nt "$root/CMakePresets.json" ]; then return; fi
    say "configuring build/$preset"
    (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 ||
        { grep -A 12 'CMake Error' "$log" >&2 || tail -n 20 "$log" >&2; stop 1 "CMake failed; the whole log is $log"; }
    touch "$stamp"
}

# As many jobs as there are cores, but no more than memory allows: the files with LLVM's headers take most of a gigabyte each.
jobs() {
    local cores memory
    cores=$(nproc 2>/dev/null || echo 2)
    memory=$(awk '/^MemAvailable:/ { print int($2 / 1000000) }' /proc/meminfo 2>/dev/null || echo 2)
    [ -n "$memory" ] && [ "$memory" -lt "$cores" ] && cores=$memory
    [ "$cores" -lt 1 ] && cores=1
    echo "$cores"
}

build() { # build [TARGETS]
    configure
    if [ "$(cd "$build" && ninja -n "$@" 2>&1 | tail -n 1)" = 'ninja: no work to do.' ]; then return; fi
    say "building ${*:-everything} (build/$preset)"
    (cd "$build" && NINJA_STATUS="[%f/%t %es] " ninja -j "$(jobs)" "$@") >&2 || stop 1 "the build failed; see above"
}

preset=release
while [ $# -gt 0 ]; do
    case "$1" in
        --preset=*) preset=${1#--preset=}; shift ;;
        -h | --help | help) usage; exit 0 ;;
        *) break ;;
    esac
done
[ -d "$root/build" ] || mkdir -p "$root/build"
case "$preset" in release | debug | asan | tsan) ;; *) stop 2 "no preset '$preset'; there are release, debug, asan, tsan" ;; esac
build=$root/build/$preset
log=$root/build/bootstrap.log

[ $# -gt 0 ] || { usage >&2; exit 2; }
command=$1
shift
case "$command" in
    deps)
        list_requirements
        ;;
    build)
        install_missing
        build "$@"
        ;;
    test)
        install_missing
        build
        say "running the tests"
        ctest --test-dir "$build" --parallel 2 --output-on-failure --no-tests=error "$@" || stop 1 "a test failed; see above"
        ;;
    run)
        [ $# -gt 0 ] || stop 2 "run needs a script: ./bootstrap.sh run examples/train_mlp.py"
        [ -r "$1" ] || stop 3 "cannot read '$1'"
        install_missing
        build sifr
        script=$1
        shift
        program=$root/build/programs/$(basename "$script" .py)
        mkdir -p "$root/build/programs"
        "$build/bin/sifr" build "$script" -o "$program"
        exec "$program" "$@"
        ;;
    *)
        usage >&2
        stop 2 "no command '$command'"
        ;;
esac
