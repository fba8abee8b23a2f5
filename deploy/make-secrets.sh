#!/bin/sh
# Makes the secrets that compose.yaml reads, once. Keep a copy of trivium_secret: without it, stored data cannot be decrypted.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
for name in trivium_secret database_password; do
  if [ -e "secrets/$name" ]; then continue; fi
  random > "secrets/$name"
done
printf 'postgres://trivium:%s@database:5432/trivium' "$(cat secrets/database_password)" > secrets/database_url
# The container's user is another one than yours, and reads them by these modes.
chmod 0755 secrets
chmod 0444 secrets/*
