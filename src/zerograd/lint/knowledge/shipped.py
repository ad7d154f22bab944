"""The shipped tables: torch's own amp and distributed tools, and the training libraries."""

from __future__ import annotations

from functools import cache

from zerograd.lint.knowledge.table import CallEffect, KnowledgeTable, Row, TouchedAccounts

DEPOSIT, CLEAR, STEP, CLIP = CallEffect.DEPOSIT, CallEffect.CLEAR, CallEffect.STEP, CallEffect.CLIP
UNSCALE, UPDATE, USE, NOTHING = (
    CallEffect.UNSCALE,
    CallEffect.UPDATE,
    CallEffect.USE,
    CallEffect.NOTHING,
)
ACCELERATOR = ("accelerator",)
FABRIC = ("fabric",)
SCALERS = ("scaler", "grad_scaler", "gradscaler", "amp_scaler")

TORCH = (
    Row("torch.amp.GradScaler.unscale_", (UNSCALE,), TouchedAccounts.FIRST, SCALERS),
    Row("torch.amp.GradScaler.update", (UPDATE,), TouchedAccounts.RECEIVER, SCALERS),
    Row("torch.nn.utils.clip_grad_norm_", (CLIP,), TouchedAccounts.FIRST),
    Row("torch.nn.utils.clip_grad_norm", (CLIP,), TouchedAccounts.FIRST),
    Row("torch.nn.utils.clip_grad_value_", (CLIP,), TouchedAccounts.FIRST),
    Row("torch.nn.utils.clip_grad_value", (CLIP,), TouchedAccounts.FIRST),
    Row("torch.nn.utils.clip_grads_with_norm_", (CLIP,), TouchedAccounts.FIRST),
    Row("timm.utils.adaptive_clip_grad", (CLIP,), TouchedAccounts.FIRST),
    Row("timm.utils.agc.adaptive_clip_grad", (CLIP,), TouchedAccounts.FIRST),
    Row("timm.utils.dispatch_clip_grad", (CLIP,), TouchedAccounts.FIRST),
    Row("timm.utils.clip_grad.dispatch_clip_grad", (CLIP,), TouchedAccounts.FIRST),
    # The scaler that CUDA needs is off on a TPU.
    Row(
        "torch_xla.core.xla_model.optimizer_step",
        (STEP,),
        TouchedAccounts.FIRST,
        ("xm",),
        unscales=True,
    ),
    Row(
        "torch.distributed.autograd.backward", (NOTHING,), TouchedAccounts.NONE, ("dist_autograd",)
    ),
)
ACCELERATE = (
    Row(
        "accelerate.Accelerator.backward",
        (DEPOSIT,),
        TouchedAccounts.LOSS,
        ACCELERATOR,
        divides=True,
    ),
    Row(
        "accelerate.Accelerator.clip_grad_norm_",
        (CLIP,),
        TouchedAccounts.FIRST,
        ACCELERATOR,
        unscales=True,
    ),
    Row(
        "accelerate.Accelerator.clip_grad_value_",
        (CLIP,),
        TouchedAccounts.FIRST,
        ACCELERATOR,
        unscales=True,
    ),
    Row("accelerate.Accelerator.unscale_gradients", (NOTHING,), TouchedAccounts.NONE, ACCELERATOR),
)
LIGHTNING = (
    Row("lightning.Fabric.backward", (DEPOSIT,), TouchedAccounts.LOSS, FABRIC),
    Row("lightning.Fabric.clip_gradients", (CLIP,), TouchedAccounts.SECOND, FABRIC, unscales=True),
    Row("lightning.LightningModule.manual_backward", (DEPOSIT,), TouchedAccounts.LOSS, ("self",)),
    Row(
        "lightning.LightningModule.clip_gradients",
        (CLIP,),
        TouchedAccounts.FIRST,
        ("self",),
        unscales=True,
    ),
)
HELPERS = (
    Row("torchbearer.sam.SAM.first_step", (USE,), TouchedAccounts.RECEIVER, ("optimizer", "sam")),
    Row("sam.SAM.second_step", (STEP,), TouchedAccounts.RECEIVER, ("optimizer", "sam")),
    Row(
        "mmengine.OptimWrapper.update_params",
        (DEPOSIT, STEP, CLEAR),
        TouchedAccounts.RECEIVER,
        ("optim_wrapper",),
    ),
    Row("opacus.DPOptimizer.virtual_step", (STEP,), TouchedAccounts.RECEIVER, ("optimizer",)),
)

REPEATED = frozenset(
    {
        "lightning.LightningModule.training_step",
        "pytorch_lightning.LightningModule.training_step",
        "ignite.engine.Engine",
        "skorch.NeuralNet.train_step",
        "mmengine.BaseModel.train_step",
        "speechbrain.Brain.fit_batch",
        "fairseq.FairseqTask.train_step",
        "catalyst.Runner.handle_batch",
    }
)

REPEATED_METHODS = frozenset(
    {
        "train_step",
        "training_step",
        "fit_batch",
        "handle_batch",
        "train_batch",
    }
)
"""Repeated when their class has a base outside the project, or they are passed to a constructor."""


@cache
def shipped() -> KnowledgeTable:
    """Return the tables that come with zerograd."""
    known = KnowledgeTable(repeated=REPEATED)
    for rows in (TORCH, ACCELERATE, LIGHTNING, HELPERS):
        known.add(rows)
    return known
