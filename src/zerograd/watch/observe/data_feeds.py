"""Follow what feeds the training: loaders, and forwards that prepare the next deposit."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from torch.utils.data import IterableDataset

if TYPE_CHECKING:
    from collections.abc import Hashable

    from zerograd.watch.ranks.wrappers import WrapperCall


MOST = 64
"""So many batches in a row are counted: a chunk that is drawn before it is trained on."""


def _is_torchs(what: Any) -> bool:
    """Whether a class or function is torch's own; None, where there is no batch sampler, is too."""
    return what is type(None) or str(what.__module__).startswith("torch.utils.data.")


class DataFeeds:
    """Loaders by number, and whether a batch was drawn since the last deposit."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._loaders: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._iterators: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self.calls: list[WrapperCall] = []
        """The wrappers whose forwards ran since the last deposit, each once."""
        self.fed: tuple[int | None, int, list[WrapperCall]] = (None, 0, self.calls)
        """What fed the next deposit so far, in one value for the fast path to compare: the loader
        that fed last, how many batches in a row it gave since the last deposit, and the calls."""

    @property
    def feed(self) -> int | None:
        """The loader that fed last."""
        return self.fed[0]

    @property
    def draws(self) -> int:
        """Batches drawn since the last deposit, in a row from the loader that fed last."""
        return self.fed[1]

    @property
    def known(self) -> bool:
        """Whether a loader feeds at all."""
        return self.feed is not None

    def started(self, loader: Any, iterator: Any) -> int:
        """Note that a loader starts again, and return its number."""
        number = self._loaders.get(loader)
        if number is None:
            number = self._loaders[loader] = next(self._numbers)
        self._iterators[iterator] = number
        return number

    def length(self) -> int | None:
        """Return how many batches the loader that fed last has, if asking changes nothing."""
        loader = next((one for one, number in self._loaders.items() if number == self.feed), None)
        # A stream that was asked for its length counts what it gives, and warns; a sampler of the
        # program's own may draw random numbers to find it.
        if loader is None or isinstance(loader.dataset, IterableDataset):
            return None
        asked = (type(loader).__len__, type(loader.sampler), type(loader.batch_sampler))
        return len(loader) if all(map(_is_torchs, asked)) else None

    def drawn(self, iterator: Any) -> None:
        """Note that a batch is drawn."""
        self.fed = (self._iterators.get(iterator), self.draws_with(iterator), self.calls)

    def draws_with(self, iterator: Any) -> int:
        """Return how many batches in a row it will be with the next one of a loader."""
        # Two loaders that are zipped give one item between them.
        same = self._iterators.get(iterator) == self.feed
        return min(self.draws + 1, MOST) if same else 1

    def served(self) -> None:
        """Note that the batches drawn so far had a use before any deposit: they are no row."""
        self.fed = (self.feed, min(self.draws, 1), self.calls)

    def since_last_deposit(self) -> tuple[Hashable, int]:
        """Return the loader that fed last, and how often it did since this was last asked."""
        feed, draws, calls = self.fed
        self.fed = (feed, 0, calls)
        return feed, draws

    def deposited(self, calls: int) -> None:
        """Begin anew after a deposit that so many calls prepared."""
        del self.calls[:calls]
        self.since_last_deposit()
