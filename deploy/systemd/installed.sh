#!/bin/sh
# Makes the user of the service. A new service is not started: look at
# /etc/shoal/shoal.env first. One that runs is restarted with the new program.
# dpkg calls it with "configure OLD-VERSION", rpm with the number of versions.
set -e
getent group shoal >/dev/null || groupadd --system shoal
getent passwd shoal >/dev/null || useradd --system --gid shoal --home-dir /var/lib/shoal --no-create-home --shell /usr/sbin/nologin shoal
chgrp shoal "${DPKG_ROOT:-}/etc/shoal/shoal.env"
[ -d "${DPKG_ROOT:-}/run/systemd/system" ] || exit 0
systemctl daemon-reload
case "$1 $2" in
configure\ ?* | [2-9]\ *) systemctl try-restart shoal.service ;;
esac
