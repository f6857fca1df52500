"""``moelint schema NAME``: print a published JSON Schema."""

from __future__ import annotations

import os
import sys

import click


def names() -> list[str]:
    from moelint.data import folder

    return sorted(
        name.removesuffix(".schema.json") for name in os.listdir(folder("schemas")) if name.endswith(".schema.json")
    )


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema NAME; without a name list them all."""
    if name is None:
        click.echo("\n".join(names()))
        return
    name = name.removesuffix(".json").removesuffix(".schema")
    if name not in names():
        raise click.UsageError(f"no schema is called '{name}': {', '.join(names())}")
    from moelint.data import folder

    with open(os.path.join(folder("schemas"), f"{name}.schema.json"), encoding="utf-8") as file:
        sys.stdout.write(file.read())
