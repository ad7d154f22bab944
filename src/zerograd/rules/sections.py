"""The catalogue's sections: the first digit of a code, and what its rules are about."""

SECTIONS = {
    0: "files",
    1: "clearing",
    2: "windows",
    3: "spending",
    4: "scaling",
    5: "ranks",
    6: "graph",
    7: "speed",
}
