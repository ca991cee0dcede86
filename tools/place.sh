# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Where Octuple can be built. To be sourced; whoever does has a function say().
# shellcheck shell=bash

BUILD_MEGABYTES=400 # of the release preset

# fit_place: looks at this folder before an hour is spent in it, and ends the program with status 2 if it will not do.
fit_place() {
    local cache home free found=0
    case $PWD in
    *[[:space:]:]*)
        say "the dynamic linker takes no path with a space or a colon in LD_PRELOAD: move this folder from '$PWD'"
        exit 2
        ;;
    esac
    if ! mkdir -p build 2>/dev/null || [ ! -w build ]; then
        say "$PWD/build may not be written: it takes a folder of your own, in a file system that is not read-only"
        exit 2
    fi
    for cache in build/*/CMakeCache.txt; do
        home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$cache" 2>/dev/null) || continue
        [ "$home" -ef . ] || {
            say "${cache%/*} was made for $home, and this is $PWD: remove ${cache%/*}, and it is made anew"
            exit 2
        }
        found=1
    done
    [ $found -eq 0 ] || return 0
    free=$(df -Pm . | awk 'NR == 2 { print $4 }')
    [ "${free:-$BUILD_MEGABYTES}" -ge $BUILD_MEGABYTES ] || {
        say "the disk is too full: a build takes $BUILD_MEGABYTES MB, and $PWD has $free MB"
        exit 2
    }
}
