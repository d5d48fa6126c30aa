#!/bin/bash
# What the publisher's image does at its start, in short.
set -e
umask 0002
if [[ "$1" == "eswrapper" || $(basename "$1") == "elasticsearch" ]]; then set -- "${@:2}"; else exec "$@"; fi
source /usr/share/elasticsearch/bin/elasticsearch-env-from-file
if [[ -n "$ELASTIC_PASSWORD" ]]; then
  [[ -f config/elasticsearch.keystore ]] || (echo "y" | elasticsearch-keystore create)
  if ! (elasticsearch-keystore list | grep -q '^bootstrap.password$'); then
    (echo "$ELASTIC_PASSWORD" | elasticsearch-keystore add -x 'bootstrap.password')
  fi
fi
exec /usr/share/elasticsearch/bin/elasticsearch "$@"
