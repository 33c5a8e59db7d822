# Sourced by the other scripts: goes to the project's folder and finds the Swift toolchain.
# shellcheck shell=bash

# Where the caller stood: file names among its arguments are meant from there.
started_in=$PWD
script=$(realpath "$0")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
export started_in root
cd "$root" || exit 1

# Puts `swift` into PATH, or says where to get it and ends the script.
find_swift() {
    if ! command -v swift >/dev/null; then
        local folder
        for folder in /opt/swift/usr/bin /opt/swift*/usr/bin /usr/local/swift/usr/bin /usr/share/swift/usr/bin \
            "${HOME:-/root}"/.local/share/swiftly/bin "${HOME:-/root}"/swift*/usr/bin; do
            if [[ -x "$folder/swift" ]]; then
                export PATH="$folder:$PATH"
                break
            fi
        done
    fi
    if ! command -v swift >/dev/null; then
        echo "error: no Swift toolchain found in PATH or /opt/swift; get Swift 6.3 or later for your system from" \
            "https://www.swift.org/install/linux/ and put its usr/bin into PATH" >&2
        exit 1
    fi
}

# Prints the comment block at the top of the calling script, which is its manual.
print_help() {
    awk 'NR == 1 { next } /^#/ { sub(/^# ?/, ""); print; next } { exit }' "$script"
}
