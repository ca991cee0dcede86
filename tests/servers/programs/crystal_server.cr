# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# A TLS server in Crystal. Each connection has a fiber, on a stack of its own; reading inside of a handshake lets other
# fibers run, and memory is Boehm's.
#
# usage: crystal_server CALLBACK PORT KEYS
#
# What the callback does: nothing, collect (garbage), yield (others run), both.
require "json"
require "openssl"
require "socket"

lib LibSSL
  alias OnName = (SSL, Int32*, Void*) -> Int32
  fun test_set_callback = SSL_CTX_callback_ctrl(ctx : SSLContext, cmd : Int32, callback : OnName) : LibC::Long
end

SERVERNAME_CALLBACK = 53

module It
  class_property calls = 0
  class_property inside = 0
  class_property wrong = 0
  class_property what = ""
end

It.what = ARGV[0]
port, keys = ARGV[1].to_i, ARGV[2]

context = OpenSSL::SSL::Context::Server.new
context.certificate_chain = "#{keys}/rsa2048.crt"
context.private_key = "#{keys}/rsa2048.key"
context.alpn_protocol = "it"
unless It.what == "nothing"
  on_name = ->(ssl : LibSSL::SSL, alert : Int32*, arg : Void*) do
    It.calls += 1
    It.inside += 1
    number = It.calls
    mine = Array.new(50) { |i| "#{number} #{i}" }
    GC.collect if It.what == "collect" || It.what == "both"
    Fiber.yield if It.what == "yield" || It.what == "both"
    mine.each_with_index { |text, i| It.wrong += 1 if text != "#{number} #{i}" }
    It.inside -= 1
    0
  end
  LibSSL.test_set_callback(context.to_unsafe, SERVERNAME_CALLBACK, on_name)
end

def serve(raw, context)
  tls = OpenSSL::SSL::Socket::Server.new(raw, context, sync_close: true)
  tls.sync = true
  buffer = Bytes.new(4096)
  while (n = tls.read(buffer)) > 0
    tls.write(buffer[0, n])
  end
rescue OpenSSL::Error | IO::Error
ensure
  raw.close
end

listener = TCPServer.new("127.0.0.1", port, backlog: 1024)
spawn do
  loop do
    raw = listener.accept
    spawn serve(raw, context)
  end
end
STDIN.gets_to_end
puts({"called" => It.calls > 0, "inside" => It.inside, "wrong" => It.wrong}.to_json)
STDOUT.flush
