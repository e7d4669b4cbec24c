"""One fixed piece of work, as a yardstick for seconds that were measured in other moments or on other machines."""
import subprocess
import sys

WORK = "import time; began = time.process_time(); import sklearn.base; print(time.process_time() - began)"
REFERENCE = 1.05  # CPU seconds of this work where the marks of the house were set


def yardstick(runs=3):
    """CPU seconds that `import sklearn.base` takes in a fresh process now, the least of some runs."""
    return min(float(subprocess.run([sys.executable, "-c", WORK], capture_output=True, check=True).stdout) for _ in range(runs))
