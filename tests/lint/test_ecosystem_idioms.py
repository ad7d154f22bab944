"""Correct programs that pinned packages have, in their smallest form, and a broken neighbour."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Loud = Callable[[str], list[str]]

DEEPSPEED_WINDOW = """\
    if accelerator.state.deepspeed_plugin is not None:
        k = accelerator.state.{plugin}.config["gradient_accumulation_steps"]
    else:
        k = 1
    for step, x in enumerate(loader):
        loss = model(x).mean() / k
        loss.backward()
        if step % k == 0:
            optimizer.step()
            optimizer.zero_grad()
"""


def test_a_window_that_only_deepspeed_has_is_its_engines(loud: Loud) -> None:
    assert loud(DEEPSPEED_WINDOW.format(plugin="deepspeed_plugin")) == []


def test_a_window_of_any_other_length_is_judged(loud: Loud) -> None:
    assert loud(DEEPSPEED_WINDOW.format(plugin="plugin")) == ["8 ZG205"]


WRAPPED_BY_CHOICE = """\
    if is_ddp:
        wrapped = nn.parallel.DistributedDataParallel(model)
    net = {chosen}
    for x in loader:
        optimizer.zero_grad()
        net(x).mean().backward()
        optimizer.step()
"""


def test_a_name_that_may_be_the_wrapper_goes_not_past_it(loud: Loud) -> None:
    assert loud(WRAPPED_BY_CHOICE.format(chosen="model if not is_ddp else wrapped")) == []


def test_a_name_that_is_the_bare_module_goes_past_it(loud: Loud) -> None:
    always = WRAPPED_BY_CHOICE.replace("if is_ddp:\n        wrapped", "wrapped")

    assert loud(always.format(chosen="model")) == ["5 ZG503"]


def test_a_sum_that_ends_with_its_window_keeps_no_graph(loud: Loud) -> None:
    found = loud("""\
        def train_step():
            total = 0
            for _ in range(4):
                loss = model(next(batches)).mean() / 4
                total += loss
                loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return total

        for _ in range(100):
            train_step()
    """)

    assert found == []


def test_a_sum_that_is_deposited_on_another_way_keeps_no_graph(loud: Loud) -> None:
    found = loud("""\
        def train(batches, combined):
            total = 0.0
            for x in batches:
                loss = model(x).mean()
                total += loss
                if not combined:
                    optimizer.zero_grad()
                    accelerator.backward(loss)
                    optimizer.step()
            if combined:
                optimizer.zero_grad()
                accelerator.backward(total)
                optimizer.step()

        train(loader, options.combined)
    """)

    assert found == []


def test_a_closure_that_clears_while_gradients_are_on_is_right(loud: Loud) -> None:
    found = loud("""\
        for _ in range(10):
            def closure():
                if torch.is_grad_enabled():
                    optimizer.zero_grad()
                loss = model(x).square().mean()
                if loss.requires_grad:
                    loss.backward()
                return loss
            optimizer.step(closure)
    """)

    assert found == []


PART_CLEARED = """\
    for x in loader:
        optimizer.zero_grad()
        model(x).mean().backward()
        for p in {cleared}:
            p.grad = None
        optimizer.step()
"""


def test_a_list_of_parameters_may_be_a_part_of_them(loud: Loud) -> None:
    assert loud("    shared, _ = split(model)\n" + PART_CLEARED.format(cleared="shared")) == []


def test_all_parameters_are_no_part(loud: Loud) -> None:
    assert loud(PART_CLEARED.format(cleared="model.parameters()")) == ["5 ZG102"]


def test_an_optimizer_that_is_stepped_only_before_the_loop_is_never_spent(loud: Loud) -> None:
    found = loud("""\
        optimizer.step()
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
    """)

    assert found == ["0 ZG303"]


def test_a_step_that_initialises_state_before_training_is_right(loud: Loud) -> None:
    found = loud("""\
        optimizer.step()
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
    """)

    assert found == []


FROZEN_IN_PART = """\
    for name, p in model.named_parameters():
        if {test}:
            p.requires_grad = False
    for x in loader:
        model(x).mean().backward()
        optimizer.step()
"""


def test_what_is_frozen_in_part_is_trained_in_part(loud: Loud) -> None:
    assert loud(FROZEN_IN_PART.format(test='name.startswith("bias")')) == ["5 ZG101"]


UNNAMED_WINDOW = """\
    class Trainer:
        def train(self, accumulate):
            last = -1
            for i, x in enumerate(loader):
                self.loss = criterion(model(x))
                if self.ranks:
                    self.loss *= self.ranks
                self.loss.backward()
                if {test}:
                    optimizer.step()
                    optimizer.zero_grad()
                    last = i
"""


def test_a_window_whose_length_has_no_name_is_left_to_its_unknown_loss(loud: Loud) -> None:
    assert loud(UNNAMED_WINDOW.format(test="i - last >= accumulate")) == []


TWO_SCHEDULES = """\
    def compare():
        linear = nn.Linear(2, 2)
        noam_opt = torch.optim.SGD(linear.parameters(), lr=0.1, fused=True)
        noam = NoamLR(noam_opt)
        {again}
        warmup_opt = torch.optim.SGD(linear.parameters(), lr=0.1, fused=True)
        warmup = WarmupLR(warmup_opt)
        for _ in range(3):
            warmup_opt.step()
            warmup.step()
            noam_opt.step()
            noam.step()
"""


def test_a_name_bound_anew_between_two_optimizers_shares_nothing(loud: Loud) -> None:
    found = loud(TWO_SCHEDULES.format(again="linear = nn.Linear(2, 2)"))

    assert not any("ZG307" in line for line in found)
