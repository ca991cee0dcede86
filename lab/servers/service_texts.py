# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The configurations of the servers in services.py. {folder} is the server's own, with both.pem in it."""

from . import conf

MOSQUITTO = """\
listener {port} 127.0.0.1
certfile {folder}/both.pem
keyfile {folder}/both.pem
allow_anonymous true
persistence false
user {user}
max_connections -1
log_dest none
"""
UNBOUND = """\
server:
    interface: 127.0.0.1@{port}
    tls-port: {port}
    tls-service-key: "{folder}/both.pem"
    tls-service-pem: "{folder}/both.pem"
    num-threads: 1
    incoming-num-tcp: 1000
    do-daemonize: no
    use-syslog: no
    chroot: ""
    directory: "{folder}"
    pidfile: ""
    username: ""
    local-zone: "test." static
    local-data: "octuple.test. A 192.0.2.1"
remote-control:
    control-enable: no
"""
DNSDIST = """\
setLocal("127.0.0.2:{port}")
addTLSLocal("127.0.0.1:{port}", "{folder}/both.pem", "{folder}/both.pem", {{ provider="openssl" }})
setMaxTCPClientThreads(1)
newServer({{address="127.0.0.1:{backend}", healthCheckMode="up"}})
addAction(AllRule(), SpoofAction("192.0.2.1"))
"""
POSTGRESQL = """\
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
max_connections = 300
ssl = on
ssl_cert_file = '{folder}/both.pem'
ssl_key_file = '{folder}/both.pem'
data_directory = '{folder}/data'
hba_file = '{folder}/hba'
ident_file = '{folder}/ident'
fsync = off
"""
PGBOUNCER = """\
[databases]
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
client_tls_sslmode = require
client_tls_key_file = {folder}/both.pem
client_tls_cert_file = {folder}/both.pem
max_client_conn = 1000
listen_backlog = 4096
"""
MARIADB = """\
[mariadbd]
bind-address = 127.0.0.1
port = {port}
datadir = {folder}/data
socket = {folder}/socket
pid-file = {folder}/pid
ssl-cert = {folder}/both.pem
ssl-key = {folder}/both.pem
skip-grant-tables
skip-networking = 0
max-connections = 1000
max-connect-errors = 1000000
back-log = 4096
skip-name-resolve
"""
TRAFFIC_RECORDS = """\
CONFIG proxy.config.http.server_ports STRING {port}:ipv4:ssl
CONFIG proxy.config.admin.user_id STRING {user}
CONFIG proxy.config.exec_thread.autoconfig INT 0
CONFIG proxy.config.exec_thread.limit INT 1
CONFIG proxy.config.accept_threads INT 0
CONFIG proxy.config.ssl.server.cert.path STRING {folder}
CONFIG proxy.config.ssl.server.private_key.path STRING {folder}
CONFIG proxy.config.url_remap.remap_required INT 1
CONFIG proxy.config.http.cache.http INT 0
CONFIG proxy.config.log.logging_enabled INT 0
CONFIG proxy.config.diags.output.error STRING E
CONFIG proxy.config.ssl.async.handshake.enabled INT {native}
"""
RUN_ROOT = """\
prefix: {folder}
exec_prefix: {folder}
bindir: /usr/bin
sbindir: /usr/bin
sysconfdir: {folder}
datadir: {folder}/ts
libexecdir: {folder}/ts
localstatedir: {folder}/ts
runtimedir: {folder}/ts
logdir: {folder}/ts
cachedir: {folder}/ts
"""
NGINX_TLS = ("listen 127.0.0.1:{port} ssl backlog=4096;",
             "ssl_certificate {folder}/both.pem; ssl_certificate_key {folder}/both.pem;")
NGINX_LUA = conf.template(conf.nginx("{folder}", [conf.server(
    *NGINX_TLS, "ssl_certificate_by_lua_block { ngx.ctx.seen = true }",
    'location / { content_by_lua_block { ngx.say("ok") } }')],
    main="load_module modules/ndk_http_module.so;\nload_module modules/ngx_http_lua_module.so;"))
NGINX_STREAM = conf.template(
    conf.nginx_alone("{folder}", main="load_module modules/ngx_stream_module.so;") + "stream {\n"
    + conf.server(*NGINX_TLS, conf.TLS, "proxy_pass 127.0.0.1:{backend};") + "}\n")
# nginx lists no http_v3_module among its dynamic ones: it is built in, or not there.
NGINX_HTTP3 = conf.template(conf.nginx("{folder}", [conf.server(
    "listen 127.0.0.1:{port} quic reuseport;", *NGINX_TLS, "location / { " + conf.ANSWER + " }")],
    http="ssl_protocols TLSv1.3;"))
# Its programs get of the environment what is named here.
POSTFIX = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
meta_directory = /etc/postfix
maillog_file = /dev/stdout
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
alias_maps =
alias_database =
smtpd_tls_security_level = may
smtpd_tls_chain_files = {folder}/both.pem
smtpd_client_connection_count_limit = 0
smtpd_client_connection_rate_limit = 0
smtpd_client_event_limit_exceptions = static:all
default_process_limit = 200
import_environment = MAIL_CONFIG LD_PRELOAD OCTUPLE_COUNTERS
"""
POSTFIX_MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""
SQUID = """\
https_port 127.0.0.1:{port} accel defaultsite=localhost no-vhost generate-host-certificates=off \\
    tls-cert={folder}/both.pem tls-key={folder}/both.pem
visible_hostname localhost
mail_program /bin/true
cache_peer 127.0.0.1 parent {backend} 0 no-query originserver name=it
acl all_of_it localip 127.0.0.0/8
cache_peer_access it allow all_of_it
http_access allow all_of_it
cache deny all
cache_mem 8 MB
cache_effective_user {user}
pid_filename {folder}/pid
cache_log {folder}/error.log
access_log none
netdb_filename none
coredump_dir {folder}
pinger_enable off
max_filedescriptors 4096
shutdown_lifetime 0 seconds
"""
# A login process gets of the environment what is named here. One serves all: Dovecot's "high-performance mode".
DOVECOT = """\
base_dir = {folder}/run
state_dir = {folder}/run
log_path = {folder}/error.log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <{folder}/both.pem
ssl_key = <{folder}/both.pem
import_environment = TZ LD_PRELOAD OCTUPLE_COUNTERS OCTUPLE_TABLE
mail_location = maildir:{folder}/mail
mail_max_userip_connections = 1000
first_valid_uid = 1
first_valid_gid = 1
passdb {{
  driver = static
  args = password=secret
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={folder}/mail
}}
service imap-login {{
  service_count = 0
  process_min_avail = 1
  process_limit = 1
  client_limit = 1000
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
  }}
}}
service anvil {{
  client_limit = 1100
}}
service auth {{
  client_limit = 1100
}}
"""
# Nobody but root can become others or change roots.
DOVECOT_ROOTLESS = """\
default_login_user = {user}
default_internal_user = {user}
default_internal_group = {group}
service anvil {{
  chroot =
}}
service imap-login {{
  chroot =
}}
"""
COTURN = """\
listening-ip=127.0.0.1
relay-ip=127.0.0.1
listening-port={port}
tls-listening-port={port}
cert={folder}/both.pem
pkey={folder}/both.pem
no-udp
no-dtls
no-cli
relay-threads={threads}
lt-cred-mech
user=u:secret
realm=octuple.test
userdb={folder}/users
pidfile={folder}/pid
log-file={folder}/error.log
simple-log
"""
TOMCAT = """\
folder={folder}
port={port}
"""
