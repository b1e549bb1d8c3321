#!/bin/sh
# Has systemd forget the unit. The data in /var/lib/shoal and the user stay, after a purge,
# too: whoever wants them gone removes them.
set -e
[ -d "${DPKG_ROOT:-}/run/systemd/system" ] || exit 0
systemctl daemon-reload
