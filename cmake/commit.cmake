# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Writes FILE, a header with the commit of the source in SOURCE, if it is not what stands there: of an archive by what
# git has put into commit.txt, else of the working copy, and "unknown" without either.
file(READ ${SOURCE}/cmake/commit.txt commit)
string(STRIP "${commit}" commit)
if(commit MATCHES "Format")
  set(commit unknown)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top
    ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  # Not of a repository in which this source merely lies.
  if("${top}" STREQUAL "${SOURCE}")
    execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=40 "--exclude=*"
      OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
endif()
set(text "#define OCT_COMMIT_TEXT \"${commit}\"\n")
set(before "")
if(EXISTS ${FILE})
  file(READ ${FILE} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${FILE} "${text}")
endif()
