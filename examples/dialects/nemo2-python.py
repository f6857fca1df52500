import nemo_run as run
from nemo.collections import llm


def configure_recipe(nodes: int = 2, gpus_per_node: int = 8):
    recipe = llm.mixtral_8x7b.pretrain_recipe(name="mixtral", num_nodes=nodes, num_gpus_per_node=gpus_per_node)
    recipe.trainer.strategy.expert_model_parallel_size = 8
    recipe.model.config.num_moe_experts = 8
    recipe.model.config.moe_token_dispatcher_type = "alltoal"
    return recipe


if __name__ == "__main__":
    run.run(configure_recipe(), executor=run.LocalExecutor())
