"""Our dropout drops the share it says, scales the rest, and follows the seed."""

from __future__ import annotations

import pytest
import torch

from memsum.training.policy.layers import Dropout


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_dropped_and_the_mean_stays(share: float):
    torch.manual_seed(0)
    x = torch.ones(1000, 333)
    out = Dropout(share)(x)
    assert (out == 0).float().mean().item() == pytest.approx(round(256 * share) / 256, abs=0.003)
    assert out.mean().item() == pytest.approx(1, abs=0.01)
    assert len(out.unique()) == 2


def test_every_byte_of_a_draw_is_random():
    torch.manual_seed(0)
    dropped = (Dropout(0.25)(torch.ones(8 * 20_000)) == 0).view(-1, 8).float().mean(dim=0)
    torch.testing.assert_close(dropped, torch.full((8,), 0.25), atol=0.015, rtol=0)


def test_gradients_pass_where_values_do():
    x = torch.ones(50, 7, requires_grad=True)
    out = Dropout(0.5)(x)
    out.sum().backward()
    assert x.grad is not None
    torch.testing.assert_close(x.grad, out.detach())


def test_the_seed_decides():
    x = torch.ones(100)
    torch.manual_seed(3)
    first = Dropout(0.5)(x)
    torch.manual_seed(3)
    torch.testing.assert_close(Dropout(0.5)(x), first)


def test_nothing_happens_outside_training_or_without_a_share():
    x = torch.randn(10)
    assert Dropout(0.5).eval()(x) is x
    assert Dropout(0.0)(x) is x
