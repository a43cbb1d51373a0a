# cmake -DOUT=file.cpp -DROOT=folder "-DFILES=a.py;b.py" -P embed.cmake
# Writes the table of prelude modules. torch/nn/__init__.py is the module torch.nn.
set(text "#include \"compiler/prelude/prelude.h\"\n\nnamespace sifr {\n\nstd::span<const PreludeFile> prelude_files() {\n    static const PreludeFile files[] = {\n")
foreach(file IN LISTS FILES)
  file(READ ${ROOT}/${file} source)
  string(REGEX REPLACE "(/__init__)?\\.py$" "" module ${file})
  string(REGEX REPLACE "^python/" "" module ${module})  # the standard library's
  string(REPLACE "/" "." module ${module})
  # A string literal has a length limit in some compilers; pieces of one file are joined by the compiler.
  string(REPLACE "\n\n\n" "\n)sifr\" R\"sifr(\n\n" source "${source}")
  string(APPEND text "        {\"${module}\", \"${file}\", R\"sifr(${source})sifr\"},\n")
endforeach()
string(APPEND text "    };\n    return files;\n}\n\n}  // namespace sifr\n")
file(WRITE ${OUT} "${text}")
