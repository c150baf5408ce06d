"""wigeon: run_train.py --config-file train.yaml [--override section.key=value ..]"""
from wigeon.trainer import main

if __name__ == "__main__":
    main()
