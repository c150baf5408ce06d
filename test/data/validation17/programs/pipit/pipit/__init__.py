__version__ = '0.12.3+local'
