# Blank lines, comments and continued lines leave no trace.

x = [
    1,  # one

    2,
]
if a and \
   b:
    # a comment that is indented less
  # than the body
    c

    # and one behind it
d = 'a\
b'; e = 1;
if f: g; h
	# a tab in front of a comment
class A: pass  # the last line
