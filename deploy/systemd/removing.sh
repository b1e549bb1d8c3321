#!/bin/sh
# Stops the service before its program goes, and not before an upgrade. dpkg calls it with
# "remove" or "upgrade", rpm with the number of versions that stay.
set -e
[ -d "${DPKG_ROOT:-}/run/systemd/system" ] || exit 0
case "$1" in
remove | 0) systemctl --no-reload disable --now shoal.service ;;
esac
