/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The terminal of `octuple top`: its other screen, without echo and without waiting for lines. It is given back as it
 * was whatever ends the command, but SIGKILL; and while it is stopped. The sequences are those that every terminal of
 * these years has; where TERM says "dumb", or nothing, there is no screen.
 *
 * Signals are blocked but while there is nothing to do, so that a sample is never interrupted.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include "src/base/clock.h"
#include "top.h"

#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"

static struct termios before;
static sigset_t unblocked;
static volatile sig_atomic_t active, quit, resized, stopped;

int top_screen_possible(void)
{
    const char *term = getenv("TERM");
    return term != NULL && *term != '\0' && strcmp(term, "dumb") != 0 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static void enter(void)
{
    struct termios raw = before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
    fputs(ENTER, stdout);
    fflush(stdout);
    active = 1;
}

/* In a handler too: no stdio. If the terminal has gone there is nothing to be done. */
static void leave(void)
{
    if (active) {
        active = 0;
        if (write(STDOUT_FILENO, LEAVE, sizeof LEAVE - 1) < 0)
            return;
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    }
}

static void on_signal(int signal)
{
    if (signal == SIGWINCH)
        resized = 1;
    else if (signal == SIGTSTP)
        stopped = 1;
    else
        quit = 1;
}

static void on_crash(int signal)
{
    leave();
    raise(signal); /* SA_RESETHAND: the default now */
}

static void catch (int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

int top_screen_begin(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH};
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
    sigset_t blocked;
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return 0;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        sigaddset(&blocked, caught[i]);
        catch (caught[i], on_signal, 0);
    }
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        catch (crashes[i], on_crash, (int)SA_RESETHAND | SA_NODEFER);
    sigprocmask(SIG_BLOCK, &blocked, &unblocked);
    atexit(leave);
    enter();
    return 1;
}

void top_screen_end(void)
{
    leave();
}

static struct winsize size(void)
{
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
        size = (struct winsize){.ws_col = 80, .ws_row = 24};
    return size;
}

unsigned top_screen_columns(void)
{
    return size().ws_col;
}

/* The bytes of a line that fit: an escape sequence takes no room, a character of several bytes one column. */
static size_t fitting(const char *line, size_t length, unsigned columns)
{
    size_t at = 0;
    for (unsigned used = 0; at < length; at++)
        if (line[at] == '\033')
            at += strcspn(line + at, "m");
        else if ((line[at] & 0xc0) != 0x80 && ++used > columns)
            break;
    return at;
}

void top_screen_show(const char *text)
{
    const struct winsize room = size();
    unsigned row = 0;
    fputs("\033[H", stdout);
    for (const char *line = text; *line != '\0' && row < room.ws_row; row++) {
        size_t length = strcspn(line, "\n");
        fputs(row > 0 ? "\r\n" : "", stdout);
        fwrite(line, 1, fitting(line, length, room.ws_col), stdout);
        fputs("\033[0m\033[K", stdout);
        line += length + (line[length] == '\n');
    }
    fputs("\033[J", stdout);
    fflush(stdout);
}

enum top_event top_wait(uint64_t until)
{
    const uint64_t now = oct_clock_nanoseconds(), left = until > now ? until - now : 0;
    const struct timespec rest = {.tv_sec = (time_t)(left / OCT_NANOSECONDS),
                                  .tv_nsec = (long)(left % OCT_NANOSECONDS)};
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    if (!active) {
        nanosleep(&rest, NULL);
        return TOP_TIME;
    }
    int ready = ppoll(&keys, 1, &rest, &unblocked);
    if (quit)
        return TOP_KEY_QUIT;
    if (stopped) {
        /* As any program would stop, and be there again afterwards. */
        stopped = 0;
        leave();
        raise(SIGSTOP);
        enter();
        return TOP_REDRAW;
    }
    if (resized) {
        resized = 0;
        return TOP_REDRAW;
    }
    if (ready <= 0)
        return TOP_TIME;
    char byte = 0;
    ssize_t n = read(STDIN_FILENO, &byte, 1); /* a terminal that has gone reads as its end */
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || byte == 'q' || byte == 'Q')
        return TOP_KEY_QUIT;
    return byte == 't' ? TOP_KEY_THREADS : TOP_REDRAW;
}
