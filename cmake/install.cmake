# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# What is installed besides programs and libraries: headers, files for those who build on the library (pkg-config and
# CMake), examples for systemd, and completion for shells.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/octuple DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

# pkg-config finds the prefix from where its file is: `cmake --install --prefix` may name another than was configured.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE OCT_PC_PREFIX)
set(OCT_PC_PREFIX "\${pcfiledir}/${OCT_PC_PREFIX}")
foreach(folder LIBDIR INCLUDEDIR)
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_${folder} BASE_DIRECTORY "\${prefix}" OUTPUT_VARIABLE OCT_PC_${folder})
endforeach()
configure_file(cmake/octuple.pc.in octuple.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/octuple.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(config ${CMAKE_INSTALL_LIBDIR}/cmake/octuple)
configure_file(cmake/octuple-config.cmake.in octuple-config.cmake COPYONLY)
# The interface may change with every minor version before 1.0.
write_basic_package_version_file(octuple-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/octuple-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/octuple-config-version.cmake
  DESTINATION ${config})
install(EXPORT octuple-targets NAMESPACE octuple:: DESTINATION ${config})

foreach(unit octuple.conf octuple-metrics.service octuple-metrics.timer)
  configure_file(packaging/systemd/${unit}.in systemd/${unit} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/systemd/${unit} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/systemd)
endforeach()

install(FILES packaging/prometheus/rules.yml DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/prometheus)
install(FILES packaging/grafana/octuple.json DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/grafana)

# What the commands write as JSON.
install(DIRECTORY docs/schemas DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.json")

# Debian has a folder of its own for zsh.
set(OCT_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions")
install(FILES packaging/completion/octuple.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
  RENAME octuple)
install(FILES packaging/completion/_octuple DESTINATION ${OCT_ZSH_DIR})

# For those who confine their services: an abstraction of AppArmor where its profiles look, and a module of SELinux.
set(OCT_APPARMOR_DIR ${CMAKE_INSTALL_SYSCONFDIR}/apparmor.d)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(OCT_APPARMOR_DIR ${CMAKE_INSTALL_FULL_SYSCONFDIR}/apparmor.d)
endif()
install(FILES packaging/apparmor/octuple DESTINATION ${OCT_APPARMOR_DIR}/abstractions)
install(FILES packaging/selinux/octuple.te DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/selinux)

if(TARGET octuple_async)
  include(cmake/preload.cmake)
endif()
