#!/bin/bash
# What the container `prepare` does before Elasticsearch starts, as root: it looks for what would end
# Elasticsearch later, with pages of log, and ends itself, with one sentence; then it makes password
# and certificates. Each step can be cut off anywhere and done again.
set -euo pipefail

volumes=/volumes
certs=/usr/share/elasticsearch/config/certs
least_room=$((1500 * 1024 * 1024)) # below it, no new index can be made after the samples
elasticsearch=1000 service=10001   # users of the two images

refuse() {
  echo "edgar-search: $*" >&2
  exit 1
}

bytes() {
  case $1 in
    *[mM]) echo $((${1%?} * 1024 * 1024)) ;;
    *[gG]) echo $((${1%?} * 1024 * 1024 * 1024)) ;;
  esac
}

mebibytes() {
  echo "$(($1 / 1024 / 1024)) MiB"
}

# --- .env -----------------------------------------------------------------------------------------

[ -z "$ELASTIC_PASSWORD" ] || [ ${#ELASTIC_PASSWORD} -ge 6 ] || refuse "ELASTIC_PASSWORD has" \
  "${#ELASTIC_PASSWORD} characters and Elasticsearch needs 6: give a longer one in .env, or remove" \
  "the line, and one is made"

for name in ES_HEAP ES_MEMORY; do
  [[ ${!name} =~ ^[1-9][0-9]*[mg]$ ]] || refuse "$name is \"${!name}\" in .env and must be a number" \
    "and m or g, such as 512m or 4g"
done

# Beside its heap, Elasticsearch needs about half as much for threads, code and buffers.
memory=$(bytes "$ES_MEMORY") needed=$(($(bytes "$ES_HEAP") * 3 / 2))
[ "$memory" -ge $needed ] || refuse "ES_MEMORY=$ES_MEMORY is too little for ES_HEAP=$ES_HEAP, for" \
  "Elasticsearch needs half as much again: set ES_MEMORY to $((needed / 1024 / 1024))m" \
  "or more in .env, or ES_HEAP to less"
nodes=${NODES:-1}
machine=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) * 1024))
[ "$machine" -ge $((needed * nodes)) ] || refuse "this machine has $(mebibytes "$machine") of memory" \
  "and Elasticsearch needs $(mebibytes $((needed * nodes))) with ES_HEAP=$ES_HEAP: set ES_HEAP=512m and" \
  "ES_MEMORY=1g in .env"

# Elasticsearch starts a node alone with less, but not one of several.
if [ "$nodes" -gt 1 ]; then
  maps=$(cat /proc/sys/vm/max_map_count) files=$(ulimit -Hn)
  [ "$files" = unlimited ] || [ "$files" -ge 65535 ] || refuse "a container may have $files files open" \
    "and each of several nodes needs 65535: raise LimitNOFILE of Docker's service"
  [ "$maps" -ge 262144 ] || refuse "vm.max_map_count is $maps on this machine and several nodes need" \
    "262144: run sysctl -w vm.max_map_count=262144 there, and keep it in /etc/sysctl.d"
fi

case $SERVICE_ADDRESS in
  127.*:* | localhost:* | "[::1]:"*) ;;
  *) [ -n "$PAGES" ] || refuse "SERVICE_ADDRESS=$SERVICE_ADDRESS can be reached from other machines," \
    "and the pages would be open to all of them: set PAGES in .env, to off, signed-in or open" ;;
esac

# --- Volumes --------------------------------------------------------------------------------------

version=$(basename lib/elasticsearch-[0-9]*.jar .jar)
version=${version#elasticsearch-}

# A version as Elasticsearch stores it: 9.5.4 is 9050499.
number() {
  local major minor patch
  IFS=. read -r major minor patch <<<"$1"
  echo $((major * 1000000 + minor * 10000 + patch * 100 + 99))
}

for volume in "$volumes"/*; do
  name=$(basename "$volume")
  { touch "$volume/.writable" && rm "$volume/.writable" && chown $elasticsearch:0 "$volume"; } \
    2>/dev/null || refuse "the volume \`$name\` cannot be written by root: mount it for writing, from" \
    "a disk that is not full and allows changes of owner"
  room=$(df --block-size=1 --output=avail "$volume" | tail -1)
  [ "$room" -ge $least_room ] || refuse "the volume \`$name\` has $(mebibytes "$room") of room and" \
    "Elasticsearch needs $(mebibytes $least_room): make room on the disk of Docker, or move the volume"
  for state in "$volume"/_state/segments_*; do
    [ -e "$state" ] || continue
    written=$(grep -aoE 'node_version[^0-9]*[0-9]{7,}' "$state" | grep -oE '[0-9]{7,}$' || true)
    [ -z "$written" ] || [ "$written" -le "$(number "$version")" ] || refuse "the volume \`$name\` was" \
      "written by Elasticsearch $((written / 1000000)).$((written / 10000 % 100)).$((written / 100 % 100))" \
      "and this is $version, which cannot read it: use the image of that version or a newer one, or" \
      "restore a backup into a new volume"
    [ -z "$written" ] || [ $((written / 1000000)) -ge $((${version%%.*} - 1)) ] || refuse "the volume" \
      "\`$name\` was written by Elasticsearch $((written / 1000000)), which is too old for $version:" \
      "start it with the last image of each major version between them first"
  done
done

# --- Password and certificates --------------------------------------------------------------------

cd $certs
if [ ! -f complete ]; then
  rm -rf ca elasticsearch ./*.zip
  elasticsearch-certutil ca --silent --pem --days 3650 --out $certs/ca.zip
  unzip -q ca.zip
  elasticsearch-certutil cert --silent --pem --days 3650 --name elasticsearch \
    --dns elasticsearch,elasticsearch2,elasticsearch3,localhost --ip 127.0.0.1 \
    --ca-cert $certs/ca/ca.crt --ca-key $certs/ca/ca.key --out $certs/node.zip
  unzip -q node.zip
  # Nobody signs with this authority again.
  rm ca.zip node.zip ca/ca.key
  chown -R $elasticsearch:0 ca elasticsearch
  chmod 755 . ca elasticsearch
  chmod 644 ca/ca.crt elasticsearch/elasticsearch.crt
  chmod 400 elasticsearch/elasticsearch.key
  touch complete
fi

keep_password() {
  printf %s "$1" >password.new
  chown $elasticsearch:$service password.new
  chmod 440 password.new
  mv password.new password
}

if [ -n "$ELASTIC_PASSWORD" ] && [ "$ELASTIC_PASSWORD" != "$(cat password 2>/dev/null)" ]; then
  # It takes its password when its container is made.
  ! curl --silent --insecure --max-time 5 --output /dev/null https://elasticsearch:9200 || refuse \
    "Elasticsearch runs with another password than ELASTIC_PASSWORD in .env: first stop it, by" \
    "docker compose down, which keeps the volumes"
  keep_password "$ELASTIC_PASSWORD"
fi
if [ ! -f password ]; then
  made=$(head -c 18 /dev/urandom | base64 | tr +/ ab)
  keep_password "$made"
  echo "Elasticsearch's user \`elastic\` has the password $made, which is shown once and kept in the" \
    "volume \`certificates\`."
fi
