from .coco_evaluator import CocoEvaluator
