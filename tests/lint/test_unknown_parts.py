"""What lint cannot see supports no finding: foreign objects, data methods, partial clears."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_module_handed_to_another_librarys_call_may_be_reached(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        from generative.inferers import Inferer
        inferer = Inferer(None)
        unet = nn.Linear(1, 1)
        optimizer_diff = torch.optim.Adam(unet.parameters())
        for images in loader:
            optimizer.zero_grad()
            optimizer_diff.zero_grad()
            noise_pred = inferer(inputs=images, autoencoder=model, diffusion_model=unet)
            loss = nn.functional.mse_loss(noise_pred, images)
            loss.backward()
            optimizer_diff.step()
            optimizer.step()
    """)

    assert found == []


def test_a_module_inside_another_librarys_loss_may_be_reached(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        from adaptation import AdversarialLoss, Discriminator
        discriminator = Discriminator(3)
        optimizer_d = torch.optim.Adam(discriminator.parameters())
        adversary = AdversarialLoss(discriminator)
        for x in loader:
            optimizer.zero_grad()
            optimizer_d.zero_grad()
            pred = model(x)
            pred.mean().backward()
            loss_d = adversary(pred.detach(), "source")
            loss_d.backward()
            optimizer.step()
            optimizer_d.step()
    """)

    assert found == []


def test_a_model_called_through_a_getter_may_be_reached(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        from adaptation import IntermediateLayerGetter
        head = nn.Linear(1, 1)
        optimizer_h = torch.optim.SGD(head.parameters())
        getter = IntermediateLayerGetter(model, layers=[])
        for x, y in loader:
            middle, out = getter(x)
            loss = nn.functional.cross_entropy(head(out), y)
            optimizer.zero_grad()
            optimizer_h.zero_grad()
            loss.backward()
            optimizer.step()
            optimizer_h.step()
    """)

    assert found == []


def test_parameters_kept_as_a_filter_may_be_reached(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        class Text(nn.Module):
            def __init__(self):
                super().__init__()
                self.judge = nn.Linear(1, 1)
                self.decoder = nn.Linear(1, 1)
                self.judge_params = filter(lambda p: p.requires_grad, self.judge.parameters())
                self.decoder_params = filter(lambda p: True, self.decoder.parameters())
            def judged(self, x):
                return self.judge(x)
        text = Text()
        trainer_d = torch.optim.Adam(text.judge_params)
        trainer_g = torch.optim.Adam(text.decoder_params)
        for x in loader:
            text.judged(x).mean().backward()
            trainer_d.step()
            trainer_d.zero_grad()
            text.decoder(x).mean().backward()
            trainer_g.step()
            trainer_g.zero_grad()
    """)

    assert found == []


def test_a_chain_under_another_name_holds_its_members(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        try:
            from itertools import chain as joined
        except ImportError:
            raise
        generator = nn.Linear(1, 1)
        encoder = nn.Linear(1, 1)
        both = torch.optim.Adam(joined(generator.parameters(), encoder.parameters()))
        for x in loader:
            both.zero_grad()
            encoder(generator(x)).mean().backward()
            both.step()
    """)

    assert found == []


def test_a_backward_that_gives_a_result_is_a_data_method(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        class Matrix:
            def __rmatmul__(self, matrix):
                with torch.no_grad():
                    output = self._tile.backward(matrix)
                return output
    """)

    assert found == []


def test_a_backward_without_a_result_needs_a_graph(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        for x in loader:
            optimizer.zero_grad()
            with torch.no_grad():
                loss = model(x).mean()
                loss.backward()
            optimizer.step()
    """)

    assert found == ["5 ZG601"]


def test_a_clear_of_some_parameters_is_no_clear_before_the_step(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        scaler = torch.amp.GradScaler("cpu")
        for x in loader:
            optimizer.zero_grad()
            scaler.scale(model(x).mean()).backward()
            scaler.unscale_(optimizer)
            for n, p in model.named_parameters():
                if "last_layer" in n:
                    p.grad = None
            scaler.step(optimizer)
            scaler.update()
    """)

    assert found == []


def test_a_clear_of_all_parameters_before_the_step_is_found(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        for x in loader:
            optimizer.zero_grad()
            model(x).mean().backward()
            for n, p in model.named_parameters():
                if p.grad is not None:
                    p.grad = None
            optimizer.step()
    """)

    assert found == ["6 ZG102"]


def test_a_switch_named_after_accumulation_may_turn_the_clear_off(
    loud: Callable[[str], list[str]],
) -> None:
    found = loud("""\
        for x in loader:
            if not getattr(config, "accum_grad", False):
                optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()
    """)

    assert found == []


def test_an_attack_reads_the_gradient_and_never_steps(loud: Callable[[str], list[str]]) -> None:
    found = loud("""\
        def attack(x, y):
            x = x.detach().requires_grad_()
            for _ in range(3):
                opt = torch.optim.SGD([x], lr=1e-3)
                opt.zero_grad()
                nn.functional.cross_entropy(model(x), y).backward()
                x = (x.detach() + 0.1 * x.grad.sign()).requires_grad_()
            return x
        for x, y in loader:
            attack(x, y)
    """)

    assert found == []
