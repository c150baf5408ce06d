import logging, os, socket
logging.basicConfig(level=logging.INFO, format="%(levelname)s: [%(process)s] %(name)s: %(message)s")
logging.getLogger("determined.exec.prep_container").info("Running task container on agent_id=%s, hostname=%s with visible GPUs []", os.environ["DET_AGENT_ID"], socket.gethostname())
