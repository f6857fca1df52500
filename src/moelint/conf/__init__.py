"""The project's own configuration: ``.moelint.yaml`` or ``[tool.moelint]`` of ``pyproject.toml``."""
