# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# A TLS server in Perl on Net::SSLeay and EV, whose callback leaves the handshake in the middle.
#
# usage: perl_server.pl plain|coro CALLBACK WHAT PORT KEYS
#
# plain: one loop of events. coro: a coroutine for each connection; Coro gives one a C stack of its own when it goes
# away out of C code. WHAT the callback does: nothing, cede (others run), sleep, die, catch (die, and catch it itself).
use strict;
use warnings;
use EV;
use Fcntl;
use IO::Socket::INET;
use Net::SSLeay;
use Socket qw(SOMAXCONN);

my ($kind, $callback, $what, $port, $keys) = @ARGV;
if ($kind eq "coro") {
    require Coro;
    require Coro::EV;
    require Coro::AnyEvent;
}
Net::SSLeay::initialize();
$SIG{PIPE} = "IGNORE";

my ($calls, $inside, $wrong, $died, $caught, $bad) = (0, 0, 0, 0, 0, 0);
my %over; # whose handshake is over

sub context {
    my ($name) = @_;
    my $ctx = Net::SSLeay::CTX_new_with_method(Net::SSLeay::TLS_server_method()) or die;
    Net::SSLeay::set_cert_and_key($ctx, "$keys/$name.crt", "$keys/$name.key") or die;
    return $ctx;
}

my ($outer, $other) = (context("rsa2048"), context("ecdsa-p256"));

sub considered {
    my ($name) = @_;
    my @mine = ($name) x 50;
    $calls++;
    $inside++;
    if ($what eq "cede") {
        Coro::cede();
    } elsif ($what eq "sleep") {
        Coro::AnyEvent::sleep(0.005);
    } elsif ($what eq "die" && $name =~ /^other/) {
        $inside--;
        $died++;
        die "not for $name\n";
    } elsif ($what eq "catch") {
        eval { die "here\n" };
        $caught++ if $@ eq "here\n";
    }
    $wrong++ if join("", @mine) ne $name x 50;
    $inside--;
}

if ($callback eq "servername") {
    Net::SSLeay::CTX_set_tlsext_servername_callback($outer, sub {
        my ($ssl) = @_;
        my $name = Net::SSLeay::get_servername($ssl) // "";
        considered($name);
        Net::SSLeay::set_SSL_CTX($ssl, $other) if $name =~ /^other/;
        return 0;
    });
} elsif ($callback eq "alpn") {
    Net::SSLeay::CTX_set_alpn_select_cb($outer, sub {
        my ($ssl, $offered) = @_;
        considered(Net::SSLeay::get_servername($ssl) // "");
        return $offered->[0];
    });
}

sub made {
    my ($raw) = @_;
    $raw->blocking(0);
    my $ssl = Net::SSLeay::new($outer);
    Net::SSLeay::set_fd($ssl, fileno($raw));
    Net::SSLeay::set_accept_state($ssl);
    return $ssl;
}

# One turn: 1 if it is to go on when there is something to read, 0 when it is over.
sub turn {
    my ($ssl) = @_;
    Net::SSLeay::ERR_clear_error();
    unless ($over{$ssl}) {    # who asks libssl for the state gets no lanes
        my $value = eval { Net::SSLeay::accept($ssl) };
        if ($@) {
            $bad++ if $@ !~ /^not for other/;
            $caught++;
            return 0;
        }
        return Net::SSLeay::get_error($ssl, $value) == Net::SSLeay::ERROR_WANT_READ() ? 1 : 0 if $value != 1;
        $over{$ssl} = 1;
    }
    while (1) {
        my ($text, $n) = Net::SSLeay::read($ssl, 4096);
        return Net::SSLeay::get_error($ssl, $n // 0) == Net::SSLeay::ERROR_WANT_READ() ? 1 : 0
            unless defined $text && length $text;
        return 0 if Net::SSLeay::write($ssl, $text) != length $text;
    }
}

my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => SOMAXCONN,
    ReuseAddr => 1, Blocking => 0) or die "listen: $!";
my %watchers;

sub serve_plain {
    my ($raw) = @_;
    my $ssl = made($raw);
    my $number = fileno($raw);
    $watchers{$number} = EV::io($raw, EV::READ(), sub {
        return if turn($ssl);
        delete $watchers{$number};
        delete $over{$ssl};
        Net::SSLeay::free($ssl);
        close $raw;
    });
}

sub serve_coro {
    my ($raw) = @_;
    Coro::async_pool(sub {
        my $ssl = made($raw);
        Coro::EV::timed_io_once($raw, EV::READ()) while turn($ssl);
        delete $over{$ssl};
        Net::SSLeay::free($ssl);
        close $raw;
    });
}

my $door = EV::io($listener, EV::READ(), sub {
    while (my $raw = $listener->accept) {
        $kind eq "coro" ? serve_coro($raw) : serve_plain($raw);
    }
});
my $quit = EV::io(\*STDIN, EV::READ(), sub { EV::break(EV::BREAK_ALL()) });
EV::run();
my $called = $calls > 0 ? "true" : "false";
print qq({"called": $called, "inside": $inside, "wrong": $wrong, "died": $died, "caught": $caught, "bad": $bad}\n);
close STDOUT;
require POSIX;
POSIX::_exit(0);    # coroutines are not unwound
