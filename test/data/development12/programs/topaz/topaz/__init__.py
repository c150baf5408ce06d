"""topaz: small language models, data parallel with gradient accumulation and a sharded optimizer."""
__version__ = "1.12.0"
