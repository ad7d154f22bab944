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


def test_a_total_counted_from_zero_steps_in_the_first_round(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        for epoch in range(3):
            for i, x in enumerate(loader):
                done = len(loader) * epoch + i
                (model(x).mean() / k).backward()
                if done % k == 0:
                    optimizer.step()
                    optimizer.zero_grad()
    """)

    assert found == ["5 ZG205"]


def test_a_total_counted_on_from_a_checkpoint_is_not_judged(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        for epoch in range(first, 3):
            for i, x in enumerate(loader):
                done = len(loader) * epoch + i
                (model(x).mean() / k).backward()
                if done % k == 0:
                    optimizer.step()
                    optimizer.zero_grad()
    """)

    assert found == []


def test_a_window_that_deepspeed_counts_is_not_judged(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        from accelerate import Accelerator
        accelerator = Accelerator()
        if accelerator.state.deepspeed_plugin is not None:
            k = accelerator.state.deepspeed_plugin.deepspeed_config["steps"]
        else:
            k = 1
        for step, x in enumerate(loader):
            accelerator.backward(model(x).mean() / k)
            if step % k == 0:
                optimizer.step()
                optimizer.zero_grad()
    """)

    assert found == []


def test_a_module_unwrapped_before_its_forward_is_found(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        from torch.nn.parallel import DistributedDataParallel as DDP
        model = DDP(model)
        def unwrapped(model):
            return model.module if isinstance(model, DDP) else model
        for x in loader:
            optimizer.zero_grad()
            loss = unwrapped(model)(x).mean()
            loss.backward()
            optimizer.step()
    """)

    assert found == ["7 ZG503"]


def test_a_penalty_of_the_bare_module_beside_the_wrapped_forward_is_silent(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        from torch.nn.parallel import DistributedDataParallel as DDP
        ddp = DDP(model)
        for x in loader:
            optimizer.zero_grad()
            loss = ddp(x).mean() + ddp.module.penalty()
            loss.backward()
            optimizer.step()
    """)

    assert found == []


def test_a_second_optimizer_over_the_wrong_module_is_found(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        critic = nn.Linear(3, 1)
        critic_optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
        for x in loader:
            optimizer.zero_grad()
            critic_optimizer.zero_grad()
            critic(model(x)).mean().backward()
            critic_optimizer.step()
            optimizer.step()
    """)

    assert "2 ZG307" in found


def test_parameters_given_twice_through_a_name_are_found(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        params = list(model.parameters()) + list(model.parameters())
        adam = torch.optim.AdamW(params, fused=True)
        for x in loader:
            adam.zero_grad()
            model(x).mean().backward()
            adam.step()
    """)

    assert "2 ZG307" in found


def test_an_optimizer_of_its_own_makes_the_second_one_meant(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        critic = nn.Linear(3, 1)
        warm_optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
        critic_optimizer = torch.optim.SGD(critic.parameters(), lr=0.1, fused=True)
        for x in loader:
            warm_optimizer.zero_grad()
            critic_optimizer.zero_grad()
            critic(model(x)).mean().backward()
            warm_optimizer.step()
            critic_optimizer.step()
    """)

    assert "3 ZG307" not in found


def test_a_scheduler_that_was_not_prepared_runs_ahead_of_accumulate(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        from accelerate import Accelerator
        accelerator = Accelerator(gradient_accumulation_steps=4)
        lr_scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        for x in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(x).mean())
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
    """)

    assert found == ["9 ZG207"]


def test_a_prepared_scheduler_waits_with_accumulate(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        from accelerate import Accelerator
        accelerator = Accelerator(gradient_accumulation_steps=4)
        lr_scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)
        model, optimizer, lr_scheduler = accelerator.prepare(model, optimizer, lr_scheduler)
        for x in loader:
            with accelerator.accumulate(model):
                accelerator.backward(model(x).mean())
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
    """)

    assert found == []


def test_a_scheduler_behind_its_own_test_still_runs_at_each_micro_batch(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        scheduler = get_scheduler(optimizer)
        for i, x in enumerate(loader):
            (model(x).mean() / k).backward()
            if (i + 1) % k == 0:
                optimizer.step()
                optimizer.zero_grad()
            if scheduler is not None:
                scheduler.step()
    """)

    assert found == ["8 ZG207"]


def test_an_optimizer_given_in_anothers_place_leaves_that_one_unspent(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        critic = nn.Linear(1, 1)
        critic_optimizer = torch.optim.SGD(critic.parameters(), lr=0.1, fused=True)
        def train(optimizer, critic_optimizer):
            for x in loader:
                model.zero_grad()
                model(x).mean().backward()
                optimizer.step()
                critic.zero_grad()
                critic(x).mean().backward()
                critic_optimizer.step()
        train(optimizer, optimizer)
    """)

    assert "2 ZG303" in found


def test_a_divisor_that_counts_the_deposits_is_wrong(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        n = 0
        for x in loader:
            n += 1
            loss = model(x).mean() / n
            loss.backward()
            if n >= accum:
                optimizer.step()
                optimizer.zero_grad()
                n = 0
    """)

    assert "5 ZG204" in found


def test_leaves_replaced_in_one_tuple_are_found(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        w = torch.randn(3, requires_grad=True)
        b = torch.randn(1, requires_grad=True)
        for x in loader:
            (x @ w + b).pow(2).sum().backward()
            with torch.no_grad():
                w, b = w - 1e-4 * w.grad, b - 1e-4 * b.grad
    """)

    assert "6 ZG309" in found
