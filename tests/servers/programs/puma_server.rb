# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# Puma by its own launcher, which answers each request alike.
#
# usage: puma_server.rb PORT KEYS
#
# It ends when its standard input does.

require "puma"
require "puma/configuration"
require "puma/events"
require "puma/launcher"

port, keys = ARGV
settings = Puma::Configuration.new do |config|
  config.bind "ssl://127.0.0.1:#{port}?cert=#{keys}/rsa2048.crt&key=#{keys}/rsa2048.key&verify_mode=none"
  config.threads 1, 4
  config.app { |_| [200, { "Content-Type" => "text/plain", "Connection" => "close" }, ["ok\n"]] }
end
launcher = Puma::Launcher.new(settings, events: Puma::Events.null)
Thread.new do
  $stdin.read
  launcher.stop
end
launcher.run
puts "{}"
