# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# A TLS server in Ruby around nio4r's selector, with a callback of Ruby's.
#
# usage: ruby_server.rb CALLBACK DEPTH PORT KEYS
#
# DEPTH: so many calls deep does the callback go.
require "json"
require "nio"
require "openssl"
require "socket"

callback, depth, port, keys = ARGV[0], ARGV[1].to_i, ARGV[2].to_i, ARGV[3]
calls = 0
errors = Hash.new(0)

def context(keys, key)
  made = OpenSSL::SSL::SSLContext.new
  made.cert = OpenSSL::X509::Certificate.new(File.read("#{keys}/#{key}.crt"))
  made.key = OpenSSL::PKey.read(File.read("#{keys}/#{key}.key"))
  made
end

# Some Ruby code: calls, a block, garbage.
def work(depth)
  depth == 0 ? [1, 2, 3].map { |n| "text #{n}" }.sum(&:size) : work(depth - 1) + 1
end

outer = context(keys, "rsa2048")
other = context(keys, "ecdsa-p256")
called = lambda do
  calls += 1
  work(depth)
end
case callback
when "none"
when "empty"
  outer.servername_cb = ->(_) {}
when "servername"
  outer.servername_cb = lambda do |(_, name)|
    called.call
    name.start_with?("other") ? other : nil
  end
when "alpn"
  outer.alpn_select_cb = lambda do |offered|
    called.call
    offered.last
  end
when "session"
  outer.session_id_context = "it"
  outer.session_cache_mode =
    OpenSSL::SSL::SSLContext::SESSION_CACHE_SERVER | OpenSSL::SSL::SSLContext::SESSION_CACHE_NO_INTERNAL_STORE
  outer.options |= OpenSSL::SSL::OP_NO_TICKET
  kept = {}
  outer.session_new_cb = lambda do |(_, session)|
    called.call
    kept[session.id] = session
  end
  outer.session_get_cb = lambda do |(_, id)|
    called.call
    kept[id]
  end
when "verify"
  outer.verify_mode = OpenSSL::SSL::VERIFY_PEER
  outer.ca_file = "#{keys}/ca.crt"
  outer.verify_callback = lambda do |good, _|
    called.call
    good
  end
when "collects"
  outer.servername_cb = lambda do |_|
    called.call
    GC.start
    nil
  end
when "raises"
  outer.servername_cb = lambda do |(_, name)|
    called.call
    raise "not this one" if name.start_with?("other")
  end
else
  abort "no callback #{callback}"
end
outer.freeze

# One turn of a connection: false when it is over.
turn = lambda do |tls, state|
  loop do
    unless state[:done]
      said = tls.accept_nonblock(exception: false)
      break true if said.is_a?(Symbol)
      state[:done] = true
    end
    data = tls.read_nonblock(4096, exception: false)
    break true if data == :wait_readable
    break false if data.nil?
    tls.write(data)
  end
rescue OpenSSL::SSL::SSLError, SystemCallError, EOFError => e
  errors[e.class.name] += 1 unless state[:done]
  false
rescue SystemStackError, RuntimeError => e
  errors[e.class.name] += 1
  false
end

selector = NIO::Selector.new
listener = TCPServer.new("127.0.0.1", port)
listener.listen(1024)
door = selector.register(listener, :r)
quit = selector.register($stdin, :r)
connections = {}
ending = false
until ending
  selector.select do |monitor|
    if monitor == quit
      ending = true
    elsif monitor == door
      begin
        raw = listener.accept_nonblock(exception: false)
        next if raw == :wait_readable
        tls = OpenSSL::SSL::SSLSocket.new(raw, outer)
        tls.sync_close = true
        one = selector.register(raw, :r)
        connections[one] = [tls, { done: false }]
      rescue SystemCallError
        next
      end
    else
      tls, state = connections[monitor]
      next if turn.call(tls, state)
      connections.delete(monitor)
      selector.deregister(monitor.io)
      begin
        tls.io.close
      rescue SystemCallError
        nil
      end
    end
  end
end
errors.delete("OpenSSL::SSL::SSLError") # those of the wait for the port, which says nothing
errors.delete("EOFError")
puts JSON.generate({ "called" => calls > 0, "errors" => errors })
