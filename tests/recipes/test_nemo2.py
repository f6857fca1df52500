"""NeMo 2 recipes: what is set on them is known, what the recipe itself holds is not."""

from __future__ import annotations

from moelint.read.configs import ReadOptions
from moelint.read.files import read_file
from moelint.read.place import place
from moelint.text.edits import apply
from moelint.text.source import Source

RECIPE = """
import nemo_run as run
from nemo.collections import llm

def configure_recipe(nodes: int = 2, gpus_per_node: int = 8):
    recipe = llm.mixtral_8x7b.pretrain_recipe(name="m", num_nodes=nodes, num_gpus_per_node=gpus_per_node)
    recipe.trainer.strategy.tensor_model_parallel_size = 2
    recipe.trainer.strategy.ddp.overlap_grad_reduce = True
    recipe.model.config.moe_router_topk = 2
    recipe.data.global_batch_size = 256
    return recipe

def local():
    recipe = configure_recipe()
    recipe.optim.config.lr = 1e-4
    run.run(recipe, executor=run.LocalExecutor())

if __name__ == "__main__":
    local()
"""
BUILT = """
import nemo_run as run
import nemo.lightning as nl
from nemo.collections import llm

def trainer(tp=1, ep=8, nodes=4):
    strategy = run.Config(nl.MegatronStrategy, tensor_model_parallel_size=tp, expert_model_parallel_size=ep)
    return run.Config(nl.Trainer, devices=8, num_nodes=nodes, max_steps=10, strategy=strategy)

def my_recipe() -> run.Partial:
    return run.Partial(llm.pretrain, model=run.Config(llm.MixtralModel), trainer=trainer(ep=4))
"""


def read(text, tmp_path):
    path = tmp_path / "recipe.py"
    path.write_text(text, encoding="utf-8")
    found = read_file(Source(str(path), text), ReadOptions(named=True))
    return {config.name: config for config in found.configs}


def test_a_recipe_over_one_of_nemo(tmp_path):
    found = read(RECIPE, tmp_path)
    assert list(found) == ["configure_recipe", "local"]
    config = found["configure_recipe"]
    assert (config.dialect, config.trainer, config.completeness) == ("nemo2-python", "core", "fragment")
    assert {key: held.value for key, held in config.written.items() if held.origin == "file"} == {
        "model.tensor_model_parallel_size": 2,
        "ddp.overlap_grad_reduce": True,
        "model.moe_router_topk": 2,
        "train.global_batch_size": 256,
    }
    assert config.stated == {"gpus-per-node": (8, "config"), "gpus": (16, "config")}


def test_each_line_belongs_to_the_function_that_writes_it(tmp_path):
    local = read(RECIPE, tmp_path)["local"]
    assert local.written["optimizer.lr"].origin == "file"
    assert local.written["model.moe_router_topk"].origin == "inherited"


def test_recipes_built_from_parts(tmp_path):
    config = read(BUILT, tmp_path)["my_recipe"]
    assert config.written["model.expert_model_parallel_size"].value == 4
    assert config.written["model.tensor_model_parallel_size"].value == 1
    assert config.written["train.train_iters"].value == 10
    assert config.stated["gpus"] == (32, "config")


def test_a_setting_is_added_before_the_recipe_is_handed_on(tmp_path):
    config = read(RECIPE, tmp_path)["configure_recipe"]
    where = place(config, "model.sequence_parallel", True)
    assert where is not None
    document, path, after = where
    assert path == ("configure_recipe", "trainer", "strategy", "sequence_parallel")
    text = apply(RECIPE, document.insert(path, True, after))
    assert "\n    recipe.trainer.strategy.sequence_parallel = True\n" in text
    assert text.index("sequence_parallel = True") < text.index("return recipe")


def test_other_python_of_nemo_is_passed_over(tmp_path):
    assert read("from nemo.collections import llm\n\ndef run_it(path):\n    llm.import_ckpt(path)\n", tmp_path) == {}
