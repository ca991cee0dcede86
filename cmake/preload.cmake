# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# A folder for LD_PRELOAD, LIBDIR/octuple/$LIB: a program inherits that variable to what it starts. glibc puts the name
# of its own folder for libraries in place of $LIB; a program of 64 bits finds the shim there, and one of 32 bits an
# empty library, or ld.so would complain. musl takes the name as it stands, finds nothing and goes on, whereas it does
# not start a program with a library of glibc.
include(CheckSymbolExists)
check_symbol_exists(__GLIBC__ "features.h" OCT_GLIBC)
if(NOT OCT_GLIBC)
  return()
endif()

set(folder ${CMAKE_BINARY_DIR}/preload/octuple)
set(wide lib/x86_64-linux-gnu lib64)
set(narrow lib/i386-linux-gnu lib32)
# That of 32 bits where 64 have lib64. On Debian it is nobody's, but for a glibc that somebody brought along.
if(CMAKE_INSTALL_LIBDIR MATCHES "lib64$")
  list(APPEND narrow lib)
else()
  list(APPEND wide lib)
endif()

file(REMOVE_RECURSE ${folder})
get_target_property(major octuple SOVERSION)
foreach(place ${wide})
  string(REGEX REPLACE "[^/]+" ".." up ${place})
  file(MAKE_DIRECTORY ${folder}/${place})
  # The shim looks for its library beside itself.
  foreach(name liboctuple-async.so liboctuple.so.${major})
    file(CREATE_LINK ../${up}/${name} ${folder}/${place}/${name} SYMBOLIC)
  endforeach()
endforeach()

file(WRITE ${folder}.c "const int octuple_does_not_serve_32_bits = 1;\n")
execute_process(COMMAND ${CMAKE_C_COMPILER} -m32 -nostdlib -shared -fPIC -s -o ${folder}-32.so ${folder}.c
  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
if(failed)
  message(STATUS "Programs of 32 bits will say that they cannot be preloaded: no library of 32 bits can be made")
else()
  foreach(place ${narrow})
    configure_file(${folder}-32.so ${folder}/${place}/liboctuple-async.so COPYONLY)
  endforeach()
endif()
install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_LIBDIR} USE_SOURCE_PERMISSIONS)
