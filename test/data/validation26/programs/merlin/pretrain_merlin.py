"""Pre-training of a small hybrid decoder (state space, mixture of experts).   Started by ft_launcher, one process a rank."""
import os, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from merlin.arguments import parser


def main():
    args = parser().parse_args()
    import torch
    torch.set_num_threads(1)
    from merlin import ft, training, state
    ft.init(); ft.start("setup"); training.initialize(args); tr = training.Trainer(args); ft.end("setup")
    tr.run()
    ft.bye(); time.sleep(.4); sys.stdout.flush(); os._exit(0)


if __name__ == "__main__": main()
