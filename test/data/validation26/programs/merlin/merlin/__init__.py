__version__ = "24.11.2"
