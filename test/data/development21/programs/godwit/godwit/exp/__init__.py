from .base_exp import Exp, get_exp
