# Registries that build objects from configurations.
class Registry:
    def __init__(self, name):
        self.name, self.table = name, {}

    def register(self, cls):
        self.table[cls.__name__] = cls
        return cls

    def build(self, cfg, **extra):
        args = dict(cfg)
        kind = args.pop('type')
        if kind not in self.table:
            raise KeyError(f'{kind} is not in the dipper::{self.name} registry. Please check whether the value of `{kind}` is correct or it was registered as expected.')
        try:
            return self.table[kind](**args, **extra)
        except Exception as e:
            raise type(e)(f'class `{kind}` in {self.table[kind].__module__}.py: {e}')


MODELS, DATASETS, OPTIMIZERS, SCHEDULERS, HOOKS = (Registry(n) for n in ('model', 'dataset', 'optimizer', 'param_scheduler', 'hook'))
