// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/**
 * Where virtual threads with the same operation meet. In a call of C they would hold on to their platform threads, so
 * that none could come to them: they meet in Java, where a thread that waits gives its platform thread to the next.
 *
 * <p>The first leaves its job and yields once. What is ready to run reaches its own operation meanwhile, adds its job
 * and waits. When the first runs again it takes all; the eighth does so at once. One thread takes a batch, under the
 * lock, and runs all of it. There is no timer: a thread that is alone pays for a yield that ends at once.
 */
final class Meeting {
    private static final Method IS_VIRTUAL = isVirtual();

    private final int lanes;
    private final Consumer<List<Job>> runner;
    private Batch open; // what gathers; null: the next thread is the first

    /** Of so many at the most. */
    Meeting(int lanes, Consumer<List<Job>> runner) {
        this.lanes = lanes;
        this.runner = runner;
    }

    /** One operation. Its owner waits until it is done, and then alone has it again. */
    static final class Job {
        final LaneKey key;
        final byte[] in;
        final byte[] out;
        int status = Lanes.FAILED;

        Job(LaneKey key, byte[] in, byte[] out) {
            this.key = key;
            this.in = in;
            this.out = out;
        }
    }

    private static final class Batch {
        final List<Job> jobs = new ArrayList<>();
        final CountDownLatch done = new CountDownLatch(1);
    }

    private static Method isVirtual() {
        try {
            return Thread.class.getMethod("isVirtual");
        } catch (NoSuchMethodException e) {
            return null; // before JDK 21
        }
    }

    static boolean isForThisThread() {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invoke(Thread.currentThread());
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    int run(LaneKey key, byte[] in, byte[] out) {
        Job job = new Job(key, in, out);
        meet(job);
        return job.status;
    }

    void meet(Job job) {
        boolean first;
        boolean taken = false;
        Batch mine;
        synchronized (this) {
            first = open == null;
            mine = first ? open = new Batch() : open;
            mine.jobs.add(job);
            if (mine.jobs.size() == lanes) {
                open = null;
                taken = true;
            }
        }
        if (first) {
            Thread.yield();
            taken = take(mine);
        }
        if (taken) {
            try {
                runner.accept(mine.jobs);
            } finally {
                mine.done.countDown();
            }
        } else {
            await(mine.done);
        }
    }

    /** False if the eighth has taken the batch. */
    private synchronized boolean take(Batch mine) {
        if (open != mine) {
            return false;
        }
        open = null;
        return true;
    }

    /** The job's arrays are in use, so that an interruption has to wait too. */
    private static void await(CountDownLatch done) {
        boolean interrupted = false;
        while (true) {
            try {
                done.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
