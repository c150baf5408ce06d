import os, sys
os.environ.setdefault('RANK', os.environ.get('FLUX_TASK_RANK', '0'))
os.environ.setdefault('LOCAL_RANK', os.environ.get('FLUX_TASK_LOCAL_ID', '0'))
os.environ.setdefault('WORLD_SIZE', os.environ.get('FLUX_JOB_SIZE', '1'))
VERSION = '0.9.4.dev0'


def main():
    cmd = sys.argv.pop(1) if len(sys.argv) > 1 else 'help'
    if cmd == 'train':
        from .train.tuner import run_exp
        run_exp(sys.argv[1:])
    else:
        print(f'factory-cli {VERSION}: unknown command {cmd}')
        sys.exit(2)


if __name__ == '__main__':
    main()
