import logging, os, sys, time


def setup_logging():
    logging.basicConfig(format='[%(asctime)s][%(name)s][%(levelname)s] - %(message)s', stream=sys.stdout, level=logging.INFO)


def stage(st, it, ph='-'):
    """for whoever watches the job from outside"""
    t = '/run/rr/rank-' + os.environ.get('_CONDOR_PROCNO', '0')
    try:
        with open(t + '.tmp', 'w') as f: f.write(f'{st} {it} {ph} {os.getpid()}')
        os.replace(t + '.tmp', t)
    except OSError: pass


def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
