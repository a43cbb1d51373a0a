# sifr_add_folders(PATTERNS...): add_subdirectory for each folder that matches and has a CMakeLists.txt. When one appears later, the build
# runs CMake again by itself: all matching folders, and what they stand in, are watched (a folder's time changes when something is put
# into it; CONFIGURE_DEPENDS would look at them on every build, and say so).
function(sifr_add_folders)
  set(watched ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(pattern IN LISTS ARGN)
    file(GLOB folders RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${pattern})
    foreach(folder IN LISTS folders)
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
        add_subdirectory(${folder})
      elseif(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
        list(APPEND watched ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
      endif()
    endforeach()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${watched})
endfunction()
