"""Correct code in the shape in which public repositories have it: nothing loud is said."""

from __future__ import annotations

from textwrap import dedent

from zerograd.lifecycle import Severity
from zerograd.lint import Analyser, Project, Source


def _loud(program: str) -> list[str]:
    source = Source("train.py", "import torch\nfrom torch import nn\n" + dedent(program))
    found = Analyser(Project()).analyse(source).findings
    return [
        f"{item.location.line - 2} {item.rule.code}"
        for item in found
        if item.severity is not Severity.HINT
    ]


ACTOR_CRITIC = """\
    class Agent:
        def __init__(self):
            self.actor, self.critic = nn.Linear(3, 2), nn.Linear(3, 1)
            self.actor_optimizer = torch.optim.Adam(self.actor.parameters())
            self.critic_optimizer = torch.optim.Adam(self.critic.parameters())
            self.transition = []

        def act(self, state):
            action = self.actor(state)
            self.transition = [state, {kept}]
            return action

        def update(self, reward):
            state, chosen = self.transition
            value_loss = (self.critic(state) - reward).pow(2).mean()
            self.critic_optimizer.zero_grad()
            value_loss.backward()
            self.critic_optimizer.step()
            policy_loss = -(chosen * reward).mean()
            self.actor_optimizer.zero_grad()
            policy_loss.backward()
            self.actor_optimizer.step()

    agent = Agent()
    for state, reward in rollout():
        agent.act(state)
        agent.update(reward)
"""


def test_what_another_method_stored_on_self_is_reached() -> None:
    found = _loud(ACTOR_CRITIC.format(kept="action.log()"))

    assert found == []


def test_an_update_of_a_list_of_tensors_spends_each_once() -> None:
    found = _loud("""\
        def sgd(params, lr):
            for param in params:
                param.data -= lr * param.grad
        w = torch.zeros(2, 1)
        b = torch.zeros(1)
        w.requires_grad_()
        b.requires_grad_()
        for x, y in loader:
            ((x @ w + b - y) ** 2).mean().backward()
            sgd([w, b], 0.03)
            w.grad.data.zero_()
            b.grad.data.zero_()
    """)

    assert found == []


def test_an_update_of_parameters_that_a_function_made_is_not_judged() -> None:
    found = _loud("""\
        def sgd(params, lr):
            for param in params:
                param.data -= lr * param.grad
        params = get_params()
        for x, y in loader:
            if params[0].grad is not None:
                for param in params:
                    param.grad.data.zero_()
            net(x, params).sub(y).pow(2).mean().backward()
            sgd(params, 0.03)
    """)

    assert found == []


ADVERSARY = """\
    encoder, speaker, domain = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 2)
    optimizer = torch.optim.SGD([*encoder.parameters(), *speaker.parameters()], lr=0.1)
    domain_optimizer = torch.optim.SGD(domain.parameters(), lr=0.1)
    for x, who, where in loader:
        seen = encoder(x)
        if centred:
            cut = nn.functional.normalize(seen, dim=1) - centres[who]
            cut = {cut}
        else:
            cut = seen.detach()
        for _ in range(steps):
            domain_loss = nn.functional.cross_entropy(domain(cut), where)
            domain_loss.backward()
            domain_optimizer.step()
            domain_optimizer.zero_grad()
        loss = nn.functional.cross_entropy(speaker(seen), who)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
"""


def test_an_input_that_is_detached_on_both_branches_leaks_nothing() -> None:
    found = _loud(ADVERSARY.format(cut="cut.detach()"))

    assert found == []


def test_an_input_that_is_detached_on_one_branch_only_leaks() -> None:
    found = _loud(ADVERSARY.format(cut="cut * 2"))

    assert found == ["18 ZG104"]


def test_adding_up_outside_any_loop_is_a_demonstration() -> None:
    found = _loud("""\
        w = torch.rand(1, requires_grad=True)
        z = w * 2
        z.backward(retain_graph=True)
        z.backward()
        w.data -= 0.1 * w.grad
    """)

    assert found == []


def test_a_scaler_kept_by_the_model_is_the_one_that_is_asked() -> None:
    found = _loud("""\
        class Model(nn.Module):
            def __init__(self, cfg):
                super().__init__()
                self.scaler = torch.amp.GradScaler() if cfg.amp else None

            def deposit(self, loss):
                if self.scaler is not None:
                    self.scaler.scale(loss).backward()
                else:
                    loss.backward()

        def train(cfg, model):
            scaler = model.scaler
            optimizer = torch.optim.AdamW(model.parameters(), fused=True)
            for x in loader:
                optimizer.zero_grad()
                model.deposit(model(x).mean())
                if scaler is not None:
                    scaler.step(optimizer)
                    scaler.update()
                else:
                    optimizer.step()

        train(cfg, Model(cfg))
    """)

    assert found == []


def test_a_helper_that_takes_an_engine_and_is_called_by_nobody_is_no_loop() -> None:
    found = _loud("""\
        def scale(engine, loss, loss_scaler, i, k):
            loss_scaler(loss, engine.optimizer, update_grad=(i + 1) % k == 0)
    """)

    assert found == []


def test_an_optimizer_with_its_own_backward_may_clear_in_its_step() -> None:
    found = _loud("""\
        from sharding import ZeroOptimizer
        model = nn.Linear(3, 1)
        optimizer = ZeroOptimizer(torch.optim.Adam(model.parameters()), model)
        for x in loader:
            optimizer.backward(model(x).mean())
            optimizer.step()
    """)

    assert found == []


def test_the_step_of_a_tpu_needs_no_scaler() -> None:
    found = _loud("""\
        import torch_xla.core.xla_model as xm
        model = nn.Linear(3, 1)
        optimizer = torch.optim.Adam(model.parameters(), fused=True)
        scaler = torch.amp.GradScaler()
        for x in loader:
            optimizer.zero_grad()
            if use_amp:
                scaler.scale(model(x).mean()).backward()
            else:
                model(x).mean().backward()
            if is_tpu_available():
                xm.optimizer_step(optimizer)
            elif use_amp:
                scaler.step(optimizer)
                scaler.update()
            else:
                optimizer.step()
    """)

    assert found == []


def test_what_lies_in_a_dict_handed_to_a_module_may_be_left_alone() -> None:
    found = _loud("""\
        generator, critic = nn.Linear(1, 1), build_critic()
        optimizer = torch.optim.Adam(generator.parameters(), fused=True)
        critic_optimizer = torch.optim.Adam(critic.parameters(), fused=True)
        for x in loader:
            optimizer.zero_grad()
            critic_optimizer.zero_grad()
            made = generator(x)
            given = {"flow": made["flow"], "x": x}
            critic_loss = critic(made["image"].detach(), given).mean()
            critic_loss.backward()
            critic_optimizer.step()
            loss = -critic(made["image"], given).mean()
            loss.backward()
            optimizer.step()
    """)

    assert found == []


def test_optimizers_over_other_parts_of_a_policy_leak_nothing_that_is_shown() -> None:
    found = _loud("""\
        class Agent:
            def __init__(self, policy):
                self.policy = policy
                self.model_optimizer = torch.optim.Adam(policy.model.parameters())
                self.value_optimizer = torch.optim.Adam(policy.value.parameters())

            def train(self):
                for x, action, after, reward in replay():
                    value = self.policy(x)
                    model_loss = (self.policy.model(x, action) - after).pow(2).mean()
                    model_loss.backward()
                    self.model_optimizer.step()
                    self.model_optimizer.zero_grad()
                    value_loss = (value - reward).pow(2).mean()
                    value_loss.backward()
                    self.value_optimizer.step()
                    self.value_optimizer.zero_grad()
    """)

    assert found == []


def test_a_handler_that_only_reports_is_no_way_past_a_deposit() -> None:
    found = _loud("""\
        model = nn.Linear(3, 1)
        optimizer = torch.optim.Adam(model.parameters(), fused=True)
        for x in loader:
            optimizer.zero_grad()
            try:
                model(x).mean().backward()
            except RuntimeError:
                print("skipped at", optimizer.param_groups)
            optimizer.step()
    """)

    assert found == []


def test_a_module_called_only_where_it_has_no_wrapper_goes_past_none() -> None:
    found = _loud("""\
        from torch.nn.parallel import DistributedDataParallel as DDP

        class Trainer:
            def __init__(self, net, is_ddp):
                self.net, self.is_ddp = net, is_ddp
                self.opt = torch.optim.Adam(net.parameters(), fused=True)
                if self.is_ddp:
                    self.net_ddp = DDP(self.net)

            def train(self, loader):
                net = self.net if not self.is_ddp else self.net_ddp
                for x in loader:
                    self.opt.zero_grad()
                    net(x).sum().backward()
                    self.opt.step()
    """)

    assert found == []


def test_a_forward_whose_branch_detaches_leaks_nothing_that_is_shown() -> None:
    found = _loud("""\
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.enc, self.disc = nn.Linear(2, 2), nn.Linear(2, 1)

            def forward(self, x, judge=False):
                y = self.enc(x)
                if judge:
                    return self.disc(y.detach()).mean()
                return (y - x).square().mean() - self.disc(y).mean()

        net = Net()
        g = torch.optim.Adam(net.enc.parameters(), fused=True)
        d = torch.optim.Adam(net.disc.parameters(), fused=True)
        for x in loader:
            net(x).backward()
            g.step()
            g.zero_grad()
            d.zero_grad()
            net(x, judge=True).backward()
            d.step()
    """)

    assert found == []


def test_a_sum_that_lives_for_one_window_keeps_no_graphs() -> None:
    found = _loud("""\
        net = nn.Linear(1, 1)
        optimizer = torch.optim.Adam(net.parameters(), fused=True)
        def train_step():
            total = 0
            for _ in range(accumulate):
                loss = net(next(data)).mean() / accumulate
                total += loss
                loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            return total
        for _ in range(100):
            train_step()
    """)

    assert found == []


def test_a_sum_that_another_path_deposits_keeps_no_graphs() -> None:
    found = _loud("""\
        import lightning

        class Model(lightning.LightningModule):
            def training_step(self, batch, batch_idx):
                total = 0.0
                opt = self.optimizers()
                for key in batch.keys():
                    part = self.loss(batch[key])
                    total += part
                    if not self.combined:
                        opt.zero_grad()
                        self.manual_backward(part)
                        opt.step()
                if self.combined:
                    opt.zero_grad()
                    self.manual_backward(total)
                    opt.step()
    """)

    assert found == []


def test_a_closure_that_clears_where_gradients_are_on_always_clears() -> None:
    found = _loud("""\
        net = nn.Linear(1, 1)
        optimizer = torch.optim.LBFGS(net.parameters())
        for x in loader:
            def closure():
                if torch.is_grad_enabled():
                    optimizer.zero_grad()
                loss = net(x).square().mean()
                if loss.requires_grad:
                    loss.backward()
                return loss
            optimizer.step(closure)
    """)

    assert found == []


def test_a_clear_of_some_tensors_leaves_the_others() -> None:
    found = _loud("""\
        some, rest = split(policy)
        for batch in loader:
            policy.optimizer.zero_grad()
            (policy.values(batch) - batch).square().mean().backward()
            for param in some:
                param.grad = None
            policy.optimizer.step()
    """)

    assert found == []


def test_a_clip_on_the_other_side_of_the_windows_switch_is_another_loop() -> None:
    found = _loud("""\
        model = nn.Linear(3, 1)
        optimizer = torch.optim.Adam(model.parameters(), fused=True)
        for i, x in enumerate(loader):
            if accum_steps > 1:
                (model(x).mean() / accum_steps).backward()
                if (i + 1) % accum_steps == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            else:
                optimizer.zero_grad()
                model(x).mean().backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
    """)

    assert found == []


def test_a_loss_divided_in_the_helper_that_computes_it_is_divided() -> None:
    found = _loud("""\
        def loss_of(model, x, cfg):
            loss = model(x).mean()
            if cfg.accum_steps > 1:
                loss = loss / cfg.accum_steps
            return loss
        model = nn.Linear(3, 1)
        optimizer = torch.optim.Adam(model.parameters(), fused=True)
        for i, x in enumerate(loader):
            loss = loss_of(model, x, cfg)
            loss.backward()
            if (i + 1) % cfg.accum_steps == 0:
                optimizer.step()
                optimizer.zero_grad()
    """)

    assert found == []


def test_a_batch_that_the_bare_module_prepares_goes_past_no_wrapper() -> None:
    found = _loud("""\
        from torch.nn.parallel import DistributedDataParallel as DDP
        model = DDP(nn.Linear(3, 1))
        optimizer = torch.optim.Adam(model.parameters(), fused=True)
        for x in loader:
            optimizer.zero_grad()
            batch = model.module.format_batch(x)
            model(batch).mean().backward()
            optimizer.step()
    """)

    assert found == []


def test_an_optimizer_that_a_getter_returns_is_one() -> None:
    found = _loud("""\
        net = build_net()
        for x in loader:
            loss = net(x).mean()
            net.get_optimizer().zero_grad()
            loss.backward()
            net.get_optimizer().step()
    """)

    assert found == []


def test_an_optimizer_returned_beside_its_model_is_stepped_under_its_own_name() -> None:
    found = _loud("""\
        def get_model():
            model = nn.Linear(3, 1)
            optimizer = torch.optim.AdamW(model.parameters(), fused=True)
            return model, optimizer
        def train(model, optimizer):
            for x in loader:
                optimizer.zero_grad()
                model(x).mean().backward()
                optimizer.step()
        model, optimizer = get_model()
        start(train, model, optimizer)
    """)

    assert found == []


def test_a_closure_defined_again_for_another_optimizer_is_not_judged() -> None:
    found = _loud("""\
        def check():
            one, two = nn.Linear(2, 2), nn.Linear(2, 2)
            first = torch.optim.SGD(one.parameters(), lr=1, fused=True)
            second = torch.optim.SGD(two.parameters(), lr=1, fused=True)
            for _ in range(2):
                def closure():
                    first.zero_grad()
                    loss = one(x).sum()
                    loss.backward()
                    return loss
                first.step(closure)
                def closure():
                    second.zero_grad()
                    loss = two(x).sum()
                    loss.backward()
                    return loss
                second.step(closure)
        check()
    """)

    assert found == []


def test_a_loss_detached_before_it_is_summed_keeps_no_graph() -> None:
    found = _loud("""\
        net = nn.Linear(1, 1)
        optimizer = torch.optim.Adam(net.parameters(), fused=True)
        total = 0
        for x in loader:
            loss = net(x).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            loss = loss.detach().cpu()
            total += loss
    """)

    assert found == []


def test_another_librarys_tape_clears_by_its_own_means() -> None:
    found = _loud("""\
        import engine as wp
        optimizer = wp.optim.Adam(net.parameters())
        for x in loader:
            with wp.Tape() as tape:
                loss = net(x)
            tape.backward(loss)
            optimizer.step()
            tape.zero()
    """)

    assert found == []


def test_a_loss_that_an_agents_step_returns_may_be_deposited_there() -> None:
    found = _loud("""\
        net = nn.Linear(1, 1)
        optimizer = torch.optim.Adam(net.parameters(), fused=True)
        agent = build_agent(net)
        for x in loader:
            loss, entropy = agent.step(x)
            optimizer.step()
            optimizer.zero_grad()
    """)

    assert found == []


def test_loops_over_several_lists_of_optimizers_step_different_ones() -> None:
    found = _loud("""\
        class Runner:
            def train(self, model, loader):
                for x in loader:
                    model(x).sum().backward()
                    for optimizer in self.optimizers:
                        optimizer.step()
                        optimizer.zero_grad()
                    for optimizer in self.pose_optimizers:
                        optimizer.step()
                        optimizer.zero_grad()
        """)

    assert found == []


def test_a_loss_summed_under_no_grad_has_no_graph() -> None:
    found = _loud(SUM.format(sum="with torch.no_grad(): total += loss"))

    assert found == []


def test_a_loss_summed_with_its_graph_is_kept() -> None:
    found = _loud(SUM.format(sum="total += loss"))

    assert found == ["9 ZG602"]


def test_a_loss_added_once_before_the_loop_is_left_keeps_nothing() -> None:
    found = _loud(SUM.format(sum="total += loss; break"))

    assert found == []


SUM = """\
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    total = 0
    for x in loader:
        loss = net(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {sum}
"""


def test_a_deposit_that_a_test_keeps_out_of_no_grad_has_a_graph() -> None:
    found = _loud("""\
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

        def run(what, x):
            train = what == "train"
            loss = net(x).square().mean()
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

        for x in loader:
            run("train", x)
            with torch.no_grad():
                run("valid", x)
        """)

    assert found == []


def test_a_flag_computed_before_the_loop_answers_alike_in_every_round() -> None:
    found = _loud("""\
        def train(net, loader, cfg):
            optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
            use_amp = str(cfg.get("precision", "no")).lower() in {"fp16", "bf16"}
            scaler = torch.amp.GradScaler(enabled=use_amp)
            for batch in loader:
                optimizer.zero_grad()
                for x in batch.split(4):
                    loss = net(x).square().mean() / 4
                    if scaler.is_enabled():
                        scaler.scale(loss).backward()
                    else:
                        loss.backward()
                if scaler.is_enabled():
                    scaler.step(optimizer)
                    scaler.update()
                else:
                    optimizer.step()
        """)

    assert found == []


def test_an_update_of_each_layer_in_a_list_spends_each_once() -> None:
    found = _loud("""\
        class Net(nn.Module):
            def step(self, lr):
                for layer in self.layers:
                    layer.weight.data -= lr * layer.weight.grad
                    layer.bias.data -= lr * layer.bias.grad

        net = Net()
        for x in loader:
            net(x).square().mean().backward()
            net.step(0.1)
            net.zero_grad()
        """)

    assert found == []


def test_a_clear_after_an_exception_clears_no_window() -> None:
    found = _loud("""\
        net = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        for i, x in enumerate(loader):
            loss = net(x).square().mean() / 4
            try:
                loss.backward()
            except RuntimeError:
                optimizer.zero_grad()
                continue
            if (i + 1) % 4 == 0:
                optimizer.step()
                optimizer.zero_grad()
        """)

    assert found == []


def test_an_optimizer_of_an_engine_is_not_known_to_be_plain() -> None:
    found = _loud(ENGINE.format(optimizer="engine.optimizer"))

    assert found == []


def test_an_optimizer_that_is_handed_in_is_taken_for_a_plain_one() -> None:
    found = _loud(ENGINE.format(optimizer="optimizer"))

    assert found == ["4 ZG101"]


ENGINE = """\
    def train(engine, optimizer, loader):
        for x in loader:
            loss = engine.model(x).sum()
            loss.backward()
            {optimizer}.step()
"""


def test_a_stranger_that_is_given_the_optimizer_may_clear_it() -> None:
    found = _loud(STRANGER.format(call="fused.run_round(optimizer)"))

    assert found == []


def test_what_only_looks_at_the_optimizer_clears_nothing() -> None:
    found = _loud(STRANGER.format(call="print_lr(optimizer)"))

    assert found == ["5 ZG101"]


STRANGER = """\
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        loss = net(x).sum()
        loss.backward()
        optimizer.step()
        {call}
"""


SCHEDULE = """\
    def train(model, loader, epochs, accum):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        total_steps = {length}
        scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_steps)
        for epoch in range(epochs):
            for i, (x, y) in enumerate(loader):
                loss = nn.functional.mse_loss(model(x), y) / accum
                loss.backward()
                if (i + 1) % accum == 0:
                    optimizer.step()
                    optimizer.zero_grad()
                scheduler.step()

    train(nn.Linear(3, 1), batches(), 3, 4)
"""


def test_a_schedule_as_long_as_the_run_has_micro_batches_advances_with_each() -> None:
    found = _loud(SCHEDULE.format(length="len(loader) * epochs"))

    assert found == []


def test_a_schedule_as_long_as_the_run_has_windows_does_not() -> None:
    found = _loud(SCHEDULE.format(length="len(loader) * epochs // accum"))

    assert found == ["12 ZG207"]


SAMPLED = """\
    model = nn.Linear(3, 1)
    optimizer = {made}(model.parameters(), lr=0.1)
    for x, y in batches():
        for sample in range(4):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y) / 4
            loss.backward()
            {kept}
        optimizer.step()
"""


def test_gradients_that_a_method_of_the_optimizer_may_keep_are_not_thrown_away() -> None:
    kept = SAMPLED.format(made="OPTIMIZERS['bgd']", kept="optimizer.aggregate_grads()")

    found = _loud(kept)

    assert found == []


def test_gradients_that_nothing_keeps_are() -> None:
    found = _loud(SAMPLED.format(made="torch.optim.SGD", kept="print(loss.item())"))

    assert found == ["5 ZG103"]


SCALED = """\
    from vendor import Capped

    backbone = nn.Linear(3, 3)
    optimizer = torch.optim.SGD(backbone.parameters(), lr=0.1)
    amp = Capped(128)
    for x, wanted in batches():
        features = backbone(x)
        features.backward(amp.scale(features.detach() - wanted))
        amp.unscale_(optimizer)
        amp.step(optimizer)
        {updated}
        optimizer.zero_grad()
"""


def test_what_is_asked_to_unscale_is_a_scaler_whatever_its_name() -> None:
    found = _loud(SCALED.format(updated="amp.update()"))

    assert found == []


def test_and_has_to_be_updated() -> None:
    found = _loud(SCALED.format(updated="print(features.mean())"))

    assert found == ["10 ZG405"]
