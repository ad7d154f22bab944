"""Programs that cost a linter more than they are worth: deep, wide, cyclic or aliased."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PRELUDE = """\
import torch
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""

LOOP = "for x in loader:\n    model(x).sum().backward()\n"
STEP = "    optimizer.step()\n"
CRITIC = """\
critic = torch.nn.Linear(3, 1)
other = torch.optim.SGD(critic.parameters(), lr=0.1)
"""

FAULT = """\
for x in loader:
    model(x).sum().backward()
    optimizer.step()
"""
"""A loop that never clears: `missing-zero` on its second line."""


def lines(pattern: str, count: int, first: int = 0) -> str:
    """Repeat a pattern with `{0}` for a number and `{1}` for the next one."""
    return "".join(pattern.format(at, at + 1) for at in range(first, first + count))


def indented(text: str, levels: int) -> str:
    """Move a text to the right."""
    return "".join("    " * levels + line + "\n" for line in text.splitlines())


def pyramid(heads: list[str], inside: str) -> str:
    """Put compound statements around each other, and a text into the innermost."""
    found = "".join(indented(head, level) for level, head in enumerate(heads))
    return found + indented(inside, len(heads))


def alias_chain(size: int) -> str:
    """Give an optimizer one name after the other."""
    aliases = lines("o{1} = o{0}\n", size)
    return f"{PRELUDE}o0 = optimizer\n{aliases}{FAULT.replace('optimizer', f'o{size}')}"


def swaps(size: int) -> str:
    """Swap two optimizers again and again."""
    other = "o = optimizer\np = torch.optim.SGD(model.parameters(), lr=0.2)\n"
    return PRELUDE + other + "o, p = p, o\n" * size + FAULT.replace("optimizer", "o")


def rebound_cycle(size: int) -> str:
    """Let names be defined by each other in a circle."""
    return (
        PRELUDE
        + lines("o{1} = o{0}\n", size)
        + f"o0 = o{size}\n"
        + FAULT.replace("optimizer", f"o{size // 2}")
    )


def attribute_aliases(size: int) -> str:
    """Pass an optimizer from one attribute of self to the next."""
    body = lines("        self.o{1} = self.o{0}\n", size)
    fault = indented(FAULT.replace("optimizer", f"self.o{size}"), 2)
    head = "class T:\n    def __init__(self):\n        self.o0 = optimizer\n"
    return f"{PRELUDE}{head}{body}    def fit(self):\n{fault}T().fit()\n"


def match_cases(size: int) -> str:
    """Step in each of many cases."""
    cases = lines("        case {0}:\n            optimizer.step()\n", size)
    return f"{PRELUDE}for x in loader:\n    model(x).sum().backward()\n    match x:\n{cases}"


def elif_chain(size: int) -> str:
    """Step in each of many branches."""
    chain = lines("    elif x == {0}:\n        optimizer.step()\n", size)
    head = "for x in loader:\n    model(x).sum().backward()\n    if x == -1:\n        pass\n"
    return PRELUDE + head + chain


def doubling_calls(size: int) -> str:
    """Call each function twice from the one before: 2**size paths."""
    functions = lines("def f{0}(o, l):\n    f{1}(o, l)\n    f{1}(o, l)\n", size)
    last = f"def f{size}(o, l):\n    l.backward()\n    o.step()\n"
    return f"{PRELUDE}{functions}{last}for x in loader:\n    f0(optimizer, model(x).sum())\n"


def doubling_values(size: int) -> str:
    """Return what two calls of the next function return: 2**size values."""
    functions = lines("def f{0}(a):\n    return f{1}(f{1}(a))\n", size)
    last = f"def f{size}(a):\n    return a\n"
    return f"{PRELUDE}{functions}{last}o = f0(optimizer)\n" + FAULT.replace("optimizer", "o")


def doubling_tuples(size: int) -> str:
    """Put a tuple twice into the next one: a value of 2**size parts."""
    tuples = lines("t{1} = (t{0}, t{0})\n", size)
    use = f"def fit(t):\n    model(1).sum().backward()\n{STEP}for x in loader:\n    fit(t{size})\n"
    return f"{PRELUDE}t0 = (model, optimizer)\n{tuples}{use}"


def calling_everyone(size: int) -> str:
    """Let every function call every later one."""
    found = PRELUDE
    for at in range(size):
        calls = "".join(f"    f{other}(o, l)\n" for other in range(at + 1, size))
        found += f"def f{at}(o, l):\n    l.backward()\n    o.step()\n{calls}"
    return found + "for x in loader:\n    f0(optimizer, model(x).sum())\n"


def recursive_calls(size: int) -> str:
    """Let every function call every other."""
    calls = "".join(f"    f{other}(o, l)\n" for other in range(size))
    functions = "".join(
        f"def f{at}(o, l):\n    l.backward()\n    o.step()\n{calls}" for at in range(size)
    )
    return f"{PRELUDE}{functions}for x in loader:\n    f0(optimizer, model(x).sum())\n"


def calls_above_backward(size: int) -> str:
    """Put the loop many calls above its backward."""
    functions = lines("def f{0}(o, x):\n    f{1}(o, x)\n", size)
    last = f"def f{size}(o, x):\n    model(x).sum().backward()\n    o.step()\n"
    loop = "def main():\n    for x in loader:\n        f0(optimizer, x)\nmain()\n"
    return f"{PRELUDE}{functions}{last}{loop}"


def loss_through_calls(size: int) -> str:
    """Compute the loss many calls below the loop, beside a second optimizer."""
    functions = lines("def f{0}(x):\n    return f{1}(x)\n", size)
    last = f"def f{size}(x):\n    return model(x).sum()\n"
    loop = "for x in loader:\n    f0(x).backward()\n    optimizer.step()\n    other.step()\n"
    return f"{PRELUDE}{CRITIC}{functions}{last}{loop}"


def method_chain(size: int) -> str:
    """Call a method of what a method returns, many times."""
    return f"{PRELUDE}net = model{'.to(0)' * size}\nnet{'.train()' * size}.zero_grad()\n{FAULT}"


def attribute_chain(size: int) -> str:
    """Take an attribute of an attribute, many times."""
    return f"{PRELUDE}{FAULT.replace('optimizer', 'o' + '.a' * size + '.optimizer')}"


def subscript_chain(size: int) -> str:
    """Take an element of an element, many times."""
    return f"{PRELUDE}{FAULT.replace('optimizer', 'optimizers' + '[0]' * size)}"


def sum_of_terms(size: int) -> str:
    """Add up many terms into one loss."""
    terms = " + ".join(["model(x).sum()"] * size)
    return f"{PRELUDE}for x in loader:\n    loss = {terms}\n    loss.backward()\n{STEP}"


def sum_of_parameters(size: int) -> str:
    """Build an optimizer over a sum of many lists."""
    terms = " + ".join(["list(model.parameters())"] * size)
    return f"{PRELUDE}optimizer = torch.optim.SGD({terms}, lr=1)\n{FAULT}"


def test_of_terms(size: int) -> str:
    """Step under a test of many terms."""
    test = " and ".join(f"x > {at}" for at in range(size))
    return f"{PRELUDE}{LOOP}    if {test}:\n    {STEP}"


def negations(size: int) -> str:
    """Step under a test that is negated many times."""
    return f"{PRELUDE}{LOOP}    if {'not ' * size}x:\n    {STEP}"


def conditional_chain(size: int) -> str:
    """Choose the optimizer by many conditional expressions."""
    chosen = "".join(f"optimizer if x == {at} else " for at in range(size)) + "optimizer"
    return f"{PRELUDE}o = {chosen}\n{FAULT.replace('optimizer', 'o')}"


def nested_calls(size: int) -> str:
    """Wrap a model into one wrapper after the other."""
    size = min(size, 90)
    wrapped = "torch.compile(" * size + "model" + ")" * size
    return f"{PRELUDE}net = {wrapped}\noptimizer = torch.optim.SGD(net.parameters(), lr=1)\n{FAULT}"


def nested_lambdas(size: int) -> str:
    """Put lambdas into each other."""
    return f"{PRELUDE}f = {'lambda: ' * size}optimizer.step()\n{FAULT}"


def nested_strings(size: int) -> str:
    """Put formatted strings into each other, as far as Python 3.11 allows, many times over."""
    nested = "f\"{f'{x}'}\""
    return PRELUDE + "s = " + " + ".join([nested] * size) + "\n" + FAULT


def nested_comprehensions(size: int) -> str:
    """Put comprehensions into each other."""
    size = min(size, 90)
    inside = "[" * size + "p.grad.zero_()" + " for p in model.parameters()]" * size
    return f"{PRELUDE}for x in loader:\n    {inside}\n    model(x).sum().backward()\n{STEP}"


def nested_functions(size: int) -> str:
    """Define functions inside each other."""
    size = min(size, 90)
    heads = [f"def f{at}(o{at}):" for at in range(size)]
    calls = "".join(
        indented(f"f{at}(o{at - 1})" if at else "f0(optimizer)", at)
        for at in range(size - 1, -1, -1)
    )
    return PRELUDE + pyramid(heads, FAULT.replace("optimizer", f"o{size - 1}")) + calls


def nested_blocks(size: int) -> str:
    """Nest statements deeply in functions that call each other."""
    depth = 90
    heads = ["if x:", "for y in x:", "while x:", "with x:"] * 30
    found = PRELUDE
    for at in range(size):
        inside = f"f{at + 1}(x)" if at < size - 1 else "model(x).sum().backward()\noptimizer.step()"
        found += pyramid([f"def f{at}(x):", *heads[:depth]], inside)
    return found + "for x in loader:\n    f0(x)\n"


def nested_classes(size: int) -> str:
    """Define classes inside each other."""
    heads = [f"class C{at}:" for at in range(min(size, 90))]
    return PRELUDE + pyramid([*heads, "def fit(self):"], FAULT)


def decorators(size: int) -> str:
    """Decorate a training function many times."""
    return (
        f"{PRELUDE}{'@torch.enable_grad()' + chr(10)}"
        + "@d\n" * size
        + f"def fit():\n{indented(FAULT, 1)}fit()\n"
    )


def inheritance_chain(size: int) -> str:
    """Derive one class from the other."""
    classes = lines("class C{1}(C{0}):\n    def m{0}(self):\n        self.o.step()\n", size)
    base = "class C0:\n    def __init__(self):\n        self.o = optimizer\n    def fit(self):\n"
    body = indented("for x in loader:\n    model(x).sum().backward()\n    self.o.step()\n", 2)
    return f"{PRELUDE}{base}{body}{classes}C{size}().fit()\n"


def inheritance_lattice(size: int) -> str:
    """Derive each class from the two before it."""
    classes = "".join(f"class C{at}(C{at - 1}, C{at - 2}):\n    pass\n" for at in range(2, size))
    base = "class C0(torch.nn.Module):\n    pass\nclass C1(C0):\n    pass\n"
    made = f"net = C{size - 1}()\noptimizer = torch.optim.SGD(net.parameters(), lr=1)\n"
    return f"{PRELUDE}{base}{classes}{made}{FAULT}"


def many_loops(size: int) -> str:
    """Train in one loop after the other."""
    return PRELUDE + FAULT * size


def many_functions(size: int) -> str:
    """Train in functions that nobody calls."""
    return PRELUDE + "".join(
        f"def f{at}(optimizer, loader):\n{indented(FAULT, 1)}" for at in range(size)
    )


def many_optimizers(size: int) -> str:
    """Step many optimizers in one loop."""
    made = lines("o{0} = torch.optim.SGD(model.parameters(), lr=1)\n", size)
    return f"{PRELUDE}{made}for x in loader:\n    model(x).sum().backward()\n" + lines(
        "    o{0}.step()\n", size
    )


def many_tests(size: int) -> str:
    """Clear under many tests that have nothing to do with each other."""
    tests = lines(
        "    if a{0}:\n        optimizer.zero_grad()\n    if b{0}:\n        optimizer.step()\n",
        size,
    )
    return f"{PRELUDE}for x in loader:\n    model(x).sum().backward()\n{tests}"


def many_bindings(size: int) -> str:
    """Assign one name again and again, from itself."""
    return PRELUDE + "model = torch.compile(model)\n" * size + FAULT


def loss_bindings(size: int) -> str:
    """Add to the loss again and again, beside a second optimizer."""
    adds = lines("    loss = loss + critic(x).sum() * {0}\n", size)
    steps = f"    loss.backward()\n{STEP}    other.step()\n"
    return f"{PRELUDE}{CRITIC}for x in loader:\n    loss = model(x).sum()\n{adds}{steps}"


def flags(size: int) -> str:
    """Let each flag be assigned from the one before."""
    assigned = lines("c{1} = c{0}\n", size)
    head = f"{PRELUDE}c0 = args.amp\n{assigned}for x in loader:\n"
    clear = f"    if c{size}:\n        optimizer.zero_grad()\n"
    return f"{head}{clear}    model(x).sum().backward()\n{STEP}"


def long_unpacking(size: int) -> str:
    """Unpack one long tuple."""
    names = ", ".join(f"o{at}" for at in range(size))
    values = ", ".join(["optimizer"] * size)
    return f"{PRELUDE}{names} = {values}\n{FAULT.replace('optimizer', f'o{size - 1}')}"


def starred_targets(size: int) -> str:
    """Unpack nested tuples."""
    size = min(size, 90)
    return f"{PRELUDE}{'(' * size}o,{')' * size} = optimizer\n" + FAULT.replace("optimizer", "o")


def closures(size: int) -> str:
    """Step with closures that step with closures."""
    found = lines("def c{0}():\n    optimizer.step(c{1})\n    model(x).sum().backward()\n", size)
    last = f"def c{size}():\n    model(x).sum().backward()\n"
    return f"{PRELUDE}{found}{last}for x in loader:\n    optimizer.step(c0)\n"


def partial_words(size: int) -> str:
    """Mention everything that lint looks for, in one long line."""
    return PRELUDE + "x = " + " or ".join(["optimizer.step()"] * size) + "\n" + FAULT


PROGRAMS: dict[Callable[[int], str], int] = {
    alias_chain: 3_000,
    swaps: 1_000,
    rebound_cycle: 1_000,
    attribute_aliases: 1_000,
    match_cases: 3_000,
    elif_chain: 3_000,
    doubling_calls: 30,
    doubling_values: 30,
    doubling_tuples: 60,
    calling_everyone: 24,
    recursive_calls: 24,
    calls_above_backward: 500,
    loss_through_calls: 500,
    method_chain: 3_000,
    attribute_chain: 3_000,
    subscript_chain: 3_000,
    sum_of_terms: 5_000,
    sum_of_parameters: 3_000,
    test_of_terms: 3_000,
    negations: 3_000,
    conditional_chain: 3_000,
    nested_calls: 90,
    nested_lambdas: 2_000,
    nested_strings: 3_000,
    nested_comprehensions: 90,
    nested_functions: 90,
    nested_blocks: 20,
    nested_classes: 90,
    decorators: 3_000,
    inheritance_chain: 1_000,
    inheritance_lattice: 300,
    many_loops: 1_000,
    many_functions: 1_000,
    many_optimizers: 200,
    many_tests: 60,
    many_bindings: 1_000,
    loss_bindings: 1_000,
    flags: 1_000,
    long_unpacking: 3_000,
    starred_targets: 90,
    closures: 40,
    partial_words: 3_000,
}
"""Each with the size that `make robustness` tries."""
