#!/bin/sh
# Makes the user of the service. The service is not started: look at
# /etc/shoal/shoal.env first.
set -e
getent group shoal >/dev/null || groupadd --system shoal
getent passwd shoal >/dev/null || useradd --system --gid shoal --home-dir /var/lib/shoal --no-create-home --shell /usr/sbin/nologin shoal
chgrp shoal /etc/shoal/shoal.env
