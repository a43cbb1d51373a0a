# Finds LLVM and its linker lld as libraries, and defines the target sifr_llvm for compiler/backend/llvm, the only folder that uses them.
#
# `find_package(LLVM 22)` does not work: LLVM's version file refuses any request that is not exact to the minor version, and without a
# version CMake may find an older LLVM that stands beside a good one. So the install prefix of each accepted version is looked at in
# turn, newest first. SIFR_LLVM_PREFIX names another place, for an LLVM that was built by hand.

set(SIFR_LLVM_VERSIONS 22 21 20 19)
set(SIFR_LLVM_PREFIX "" CACHE PATH "Where LLVM is installed, if not in a usual place")

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # executables in other folders link these targets through our static libraries
set(_prefixes ${SIFR_LLVM_PREFIX})
if(NOT _prefixes)
  foreach(_version IN LISTS SIFR_LLVM_VERSIONS)
    list(APPEND _prefixes /usr/lib/llvm-${_version} /usr/lib64/llvm${_version} /usr/local/opt/llvm@${_version})
  endforeach()
endif()

unset(LLVM_DIR CACHE)
foreach(_prefix IN LISTS _prefixes)
  find_package(LLVM QUIET CONFIG PATHS ${_prefix} NO_DEFAULT_PATH)
  if(LLVM_FOUND)
    break()
  endif()
endforeach()
if(LLVM_FOUND)
  find_package(LLD QUIET CONFIG PATHS ${LLVM_INSTALL_PREFIX} NO_DEFAULT_PATH)
endif()
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL OFF)

set(_what_is_missing "")
list(JOIN SIFR_LLVM_VERSIONS ", " _versions)
list(JOIN _prefixes ", " _where)
if(NOT LLVM_FOUND)
  set(_what_is_missing "No LLVM of version ${_versions} in ${_where}; on Debian: apt-get install llvm-22-dev")
elseif(NOT LLVM_VERSION_MAJOR IN_LIST SIFR_LLVM_VERSIONS)
  set(_what_is_missing "LLVM ${LLVM_VERSION} in ${LLVM_INSTALL_PREFIX} is none of the versions ${_versions}")
elseif(NOT LLD_FOUND)
  set(_what_is_missing "LLVM ${LLVM_VERSION} has no lld libraries beside it; on Debian: apt-get install liblld-${LLVM_VERSION_MAJOR}-dev")
elseif(NOT TARGET LLVM)
  set(_what_is_missing "LLVM ${LLVM_VERSION} in ${LLVM_INSTALL_PREFIX} was built without its shared library")
endif()

if(_what_is_missing)
  set(SifrLLVM_FOUND FALSE)
  if(SifrLLVM_FIND_REQUIRED)
    message(FATAL_ERROR "${_what_is_missing}")
  endif()
  return()
endif()
set(SifrLLVM_FOUND TRUE)
if(NOT SifrLLVM_FIND_QUIETLY)
  message(STATUS "LLVM ${LLVM_VERSION} and lld from ${LLVM_INSTALL_PREFIX}")
endif()

if(NOT TARGET sifr_llvm)
  add_library(sifr_llvm INTERFACE)
  target_include_directories(sifr_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${LLD_INCLUDE_DIRS})
  separate_arguments(_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(sifr_llvm INTERFACE ${_definitions})
  target_link_libraries(sifr_llvm INTERFACE lldELF lldCommon LLVM)
endif()
