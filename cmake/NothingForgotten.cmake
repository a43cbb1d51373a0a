# Lists of files and folders stand in the CMakeLists.txt, written out. What this adds is a check: a file that somebody put beside the listed
# ones, and forgot to list, ends the configuration with its name. A change of the folder runs the check again.

# sifr_nothing_forgotten(FOLDER PATTERN listed...): each file of FOLDER that matches is listed, by its name in FOLDER.
function(sifr_nothing_forgotten folder pattern)
  file(GLOB present RELATIVE ${folder} ${folder}/${pattern})
  list(REMOVE_ITEM present ${ARGN})
  if(present)
    message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt does not list ${present}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder})
endfunction()

# sifr_no_folder_forgotten(PATTERNS...): each folder that matches and has a CMakeLists.txt was given to add_subdirectory.
function(sifr_no_folder_forgotten)
  get_property(listed DIRECTORY PROPERTY SUBDIRECTORIES)
  set(watched ${CMAKE_CURRENT_SOURCE_DIR})
  foreach(pattern IN LISTS ARGN)
    file(GLOB folders ${CMAKE_CURRENT_SOURCE_DIR}/${pattern})
    foreach(folder IN LISTS folders)
      if(EXISTS ${folder}/CMakeLists.txt AND NOT folder IN_LIST listed)
        message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt has no add_subdirectory for ${folder}")
      elseif(IS_DIRECTORY ${folder})
        list(APPEND watched ${folder})
      endif()
    endforeach()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${watched})
endfunction()
