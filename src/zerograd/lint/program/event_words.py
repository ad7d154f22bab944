"""The words by which source touches a gradient: the one table that decides what is looked at.

From it are derived which files are parsed (`prefilter.py`), in which files other files' names are
looked up (`project.py`), which lines and functions are followed (`relevance.py`), and which methods
have a reader (`events/methods.py`; a test compares the two). A word that is missing here is a
line that nobody reads; one too many costs time only.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

# What must follow a word. A name may have the same word in it many thousand times: what follows
# each is looked at only so far, and what is longer counts as found.
CALL = r"\s*\("
END = r"(?!\w)"
NAMED_CALL = r"\w{200}|\w*+\s*+\("
NAMED_FURTHER_CALL = r"\w{200}|\w++\s*+\("


class Weight(Enum):
    """What a line with the word is worth."""

    EVENT = auto()
    """Its function is entered, and so is whatever calls that."""

    SCALING = auto()
    """The same in a file with a loss scaler: dictionaries have the word too."""

    INSIDE = auto()
    """It is read in a function that is entered for another word."""

    NOTHING = auto()
    """It tells something about a file only."""


class EventWord(NamedTuple):
    """One word, and for what it is enough."""

    word: str
    weight: Weight
    then: str = ""
    """What must follow it on a line, as a regular expression."""

    file: str = ""
    """With what spelled so a file is parsed."""

    closer: str = ""
    """The regular expression that decides where `file` alone is too common."""

    family: str = ""
    """What is in `file` and in others like it: looked for first, once for all of them."""

    defines: str = ""
    """With what spelled so, as a regular expression, a file's definitions matter to others."""

    methods: tuple[str, ...] = ()
    """The methods that it stands for and that `events/methods.py` reads."""


EVENT, SCALING, INSIDE, NOTHING = Weight.EVENT, Weight.SCALING, Weight.INSIDE, Weight.NOTHING
CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grad_norm")

EVENT_WORDS = (
    EventWord(
        "backward",
        EVENT,
        NAMED_CALL,
        file=".backward(",
        family="backward(",
        defines="backward",
        methods=("backward",),
    ),
    EventWord(
        "zero_grad",
        EVENT,
        file="zero_grad",
        family="grad",
        defines="zero_grad",
        methods=("zero_grad",),
    ),
    EventWord(".step", EVENT, CALL, file=".step(", family="optim", methods=("step",)),
    EventWord(
        ".grad", EVENT, END, file=".grad", closer=r"\.grad\b", family="grad", defines=r"\.grad\b"
    ),
    EventWord(
        "clip_grad", EVENT, file="clip_grad", family="grad", defines="clip_grad", methods=CLIPS
    ),
    EventWord("unscale_", EVENT, methods=("unscale_",)),
    EventWord("optimizer_step", EVENT),
    EventWord("_foreach_", EVENT),
    EventWord("setattr", EVENT, r"\s*+\((?:[^\n]{0,500}?grad|[^\n]{500})"),
    EventWord("update_params", EVENT),
    EventWord("first_step", EVENT),
    EventWord("second_step", EVENT),
    EventWord("loss_scaler", EVENT),
    EventWord("getattr", EVENT, r"\s*\([^()\n]*\)\s*\("),
    EventWord(".update", SCALING, CALL, methods=("update",)),
    EventWord("no_sync", INSIDE, file="no_sync", defines="no_sync"),
    EventWord("grad_sync", INSIDE, file="grad_sync", family="grad"),
    EventWord("requires_grad", INSIDE, defines="requires_grad"),
    EventWord(
        "optim",
        INSIDE,
        file="optim.",
        closer=r"\boptim\.[A-Z]",
        family="optim",
        defines="optim",
        methods=("toggle_optimizer", "untoggle_optimizer"),
    ),
    EventWord("Optim", INSIDE),
    EventWord("opt", INSIDE, r"\w{200}|\w*+\s*+="),
    EventWord("SGD", INSIDE, CALL, defines=r"import [^\n]{0,200}?SGD"),
    # A package that passes on an optimizer of its own: `from .adamw import AdamW`.
    EventWord("Adam", INSIDE, NAMED_CALL, defines=r"import [^\n]{0,200}?Adam"),
    EventWord("fit", INSIDE, CALL),
    EventWord("train", INSIDE, r"\w{60}|\w*_(?:step|batch|epoch|iter)\w*+\s*+\("),
    EventWord("update_", INSIDE, NAMED_FURTHER_CALL),
    EventWord("_grad", INSIDE, r"s?\s*\("),
    EventWord("zero", INSIDE, NAMED_CALL),
    EventWord("grad_", INSIDE, NAMED_FURTHER_CALL),
    EventWord("scale_loss", INSIDE),
    EventWord(".add_", INSIDE, CALL),
    EventWord(".sub_", INSIDE, CALL),
    EventWord(".copy_", INSIDE, CALL),
    EventWord(".mul_", INSIDE, CALL),
    EventWord(".addcdiv_", INSIDE, CALL),
    EventWord(".data", INSIDE, END),
    EventWord("[:]", INSIDE, r"\s*="),
    EventWord("[...]", INSIDE, r"\s*="),
    EventWord(".clamp_", INSIDE, CALL),
    EventWord(".clip_", INSIDE, CALL),
    EventWord("_step", INSIDE, CALL),
    EventWord("GradScaler", NOTHING, file="GradScaler"),
    EventWord("training_step", NOTHING, file="training_step"),
    EventWord("DistributedDataParallel", NOTHING, file="DistributedDataParallel"),
    EventWord("num_items_in_batch", NOTHING, file="num_items_in_batch"),
    EventWord("configure_optimizers", NOTHING, file="configure_optimizers", family="optim"),
    EventWord("torch.optim", NOTHING, file="torch.optim", family="optim"),
    EventWord("DataParallel", NOTHING, defines="DataParallel"),
    EventWord("nn.Module", NOTHING, defines=r"nn\.Module"),
    EventWord("Module)", NOTHING, defines=r"Module\)"),
    EventWord("loss", NOTHING, defines="loss"),
    EventWord("self.sum", NOTHING, defines=r"self\.\w+(?:\[[^\]\n]{0,80}\])?(?:\s*\+=|\.append\()"),
    EventWord("nn.", NOTHING, defines=r"nn\.[A-Z]"),
    EventWord(
        "self.",
        NOTHING,
        defines=r"self\.\w{0,60}?(?:step|train|epoch|update|fit|batch)\w{0,60}+\(",
    ),
)

METHODS = frozenset(method for item in EVENT_WORDS for method in item.methods)
