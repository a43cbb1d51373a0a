# Precompiled headers. Most of a file's compile time is its headers; each set of them below is parsed once for all libraries that name it:
#
#   sifr_precompile(NAME HEADER LINK libs... OPTIONS ...)  in the folder that owns the set
#   sifr_add_library(... PRECOMPILED NAME)                 in the folders that use it
#
# A set holds what nearly every file of its users includes, and nothing that changes daily. Files still include what they use: with
# -DSIFR_PRECOMPILE=OFF everything builds, slower.
option(SIFR_PRECOMPILE "Parse the common headers once" ON)

function(sifr_precompile name header)
  cmake_parse_arguments(ARG "" "" "LINK;OPTIONS" ${ARGN})
  if(NOT SIFR_PRECOMPILE)
    return()
  endif()
  set(anchor ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(GENERATE OUTPUT ${anchor} CONTENT "// The file that ${header} is precompiled for.\n")
  add_library(${name} OBJECT ${anchor})
  target_link_libraries(${name} PRIVATE sifr_options fmt::fmt ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${header})
endfunction()

function(sifr_use_precompiled target name)
  if(SIFR_PRECOMPILE AND name)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
