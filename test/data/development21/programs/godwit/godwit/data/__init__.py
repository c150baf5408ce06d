from .dataset import CocoLite
from .sampler import InfiniteSampler
