"""Faults in the shape in which public training code had them: they stay found."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_second_clear_inside_the_window_is_found(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        global_step = 0
        for epoch in range(10):
            optimizer.zero_grad()
            for step, (images, labels) in enumerate(loader):
                optimizer.zero_grad(set_to_none=True)
                loss = model(images, labels).mean()
                (loss / grad_accum_steps).backward()
                if global_step % grad_accum_steps == 0:
                    optimizer.step()
                global_step += 1
    """)

    assert "5 ZG103" in found


def test_a_clip_between_step_and_clear_of_a_window_is_found(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        seen = 0
        for i, x in enumerate(loader):
            loss = model(x).mean() / 4
            loss.backward()
            seen += x.shape[0]
            if virtual == seen or i == size:
                optimizer.step()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.zero_grad()
                seen = 0
    """)

    assert found == ["8 ZG401"]


def test_a_sync_flag_set_after_the_forward_is_found(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        from torch.nn.parallel import DistributedDataParallel as DDP
        ddp = DDP(model)
        grad_accum_steps = 4
        for step in range(100):
            optimizer.zero_grad()
            for micro_step in range(grad_accum_steps):
                loss = ddp(next_batch()).mean() / grad_accum_steps
                ddp.require_backward_grad_sync = micro_step == grad_accum_steps - 1
                loss.backward()
            optimizer.step()
    """)

    assert found == ["8 ZG501"]


def test_a_skipped_scaler_step_that_skips_the_update_is_found(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        scaler = torch.amp.GradScaler("cpu")
        for x in loader:
            loss = model(x).mean()
            scaler.scale(loss).backward()
            skip = False
            scaler.unscale_(optimizer)
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            if norm > limit:
                skip = True
            if not skip:
                scaler.step(optimizer)
                scaler.update()
            optimizer.zero_grad(set_to_none=True)
    """)

    assert found == ["6 ZG405"]


def test_a_recipe_that_clears_once_before_its_loop_is_found(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        class Recipe:
            def __init__(self, model):
                self.model = model
                self.optimizers = torch.optim.Adam(model.parameters())
            def forward_backward(self, x):
                loss = self.model(x).mean()
                loss.backward()
                return loss
            def train_step(self, x):
                loss = self.forward_backward(x)
                self.optimizers.step()
            def train(self, loader):
                self.optimizers.zero_grad()
                for x in loader:
                    self.train_step(x)
    """)

    assert found == ["7 ZG101"]


def test_another_librarys_optimizer_that_is_never_cleared_is_found(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        from analog.nn import AnalogLinear
        from analog.optim import AnalogSGD
        layer = AnalogLinear(4, 2)
        opt = AnalogSGD(layer.parameters(), lr=0.1)
        opt.regroup_param_groups(layer)
        for epoch in range(100):
            loss = nn.functional.mse_loss(layer(x), y)
            loss.backward()
            opt.step()
    """)

    assert found == ["8 ZG101"]


def test_a_clip_behind_its_own_switch_inside_the_window_is_found(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        for step, x in enumerate(loader):
            is_grad_step = (step + 1) % n == 0
            loss = model(x).mean() / n
            loss.backward()
            if max_norm is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            if is_grad_step:
                optimizer.step()
                optimizer.zero_grad()
    """)

    assert found == ["6 ZG404"]


def test_a_clip_behind_the_windows_end_is_right(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        for step, x in enumerate(loader):
            is_grad_step = (step + 1) % n == 0
            loss = model(x).mean() / n
            loss.backward()
            if max_norm is not None and is_grad_step:
                torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
            if is_grad_step:
                optimizer.step()
                optimizer.zero_grad()
    """)

    assert found == []


def test_a_loss_made_a_leaf_again_has_no_graph(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        from torch.autograd import Variable
        for x in loader:
            loss = model(x).mean()
            loss = Variable(loss, requires_grad=True)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    """)

    assert found == ["6 ZG601"]


def test_a_leaf_that_the_loop_adds_to_has_a_graph(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        for batch in loader:
            loss = torch.tensor(0.0, requires_grad=True)
            for x in batch:
                loss = loss + model(x).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    """)

    assert found == []
