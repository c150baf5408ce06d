__version__ = "2.7.1+cw"
