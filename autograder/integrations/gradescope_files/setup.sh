#!/usr/bin/env bash
# Runs once, when Gradescope builds the container's image: installs what the kit needs, and closes the kit to students.
set -euo pipefail

apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv libseccomp2
python3 -m venv /opt/attnkit
/opt/attnkit/bin/pip install --quiet --requirement /autograder/source/requirements.txt
find /autograder/source -type d -exec chmod 0700 {} +
find /autograder/source -type f -exec chmod 0600 {} +
chmod 0700 /autograder/source/run_autograder /autograder/source/setup.sh
