// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** How virtual threads meet, with platform threads, which every JDK has. */
class MeetingTest {
    @Test
    void everyJobIsRunOnce() throws Exception {
        Map<Meeting.Job, Boolean> seen = Collections.synchronizedMap(new IdentityHashMap<>());
        AtomicInteger wrong = new AtomicInteger();
        Meeting meeting = new Meeting(8, jobs -> {
            if (jobs.isEmpty() || jobs.size() > 8) {
                wrong.incrementAndGet();
            }
            for (Meeting.Job job : jobs) {
                if (seen.put(job, true) != null) {
                    wrong.incrementAndGet();
                }
                job.status = Lanes.OK;
            }
        });
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            Thread thread = new Thread(() -> {
                for (int round = 0; round < 500; round++) {
                    Meeting.Job job = new Meeting.Job(null, null, null);
                    meeting.meet(job);
                    if (job.status != Lanes.OK || !seen.containsKey(job)) {
                        wrong.incrementAndGet();
                    }
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, wrong.get());
        assertEquals(32 * 500, seen.size());
    }

    /** A runner that fails leaves nobody waiting. */
    @Test
    void failures() {
        Meeting meeting = new Meeting(8, jobs -> {
            throw new IllegalStateException();
        });
        for (int i = 0; i < 3; i++) {
            Meeting.Job job = new Meeting.Job(null, null, null);
            assertEquals(IllegalStateException.class, Setup.outcome(() -> {
                meeting.meet(job);
                return null;
            }));
            assertTrue(job.status != Lanes.OK);
        }
    }

    /** Batches of every size in C, each lane with its own result, bad lanes among good ones. */
    @Test
    void batches() {
        Operation op = Operation.X25519_DERIVE;
        if (!op.isServed()) {
            return;
        }
        int number = Lanes.find("x25519-derive", new int[5]);
        for (int size = 1; size <= op.lanes; size++) {
            byte[] in = new byte[64 * size];
            byte[] out = new byte[32 * size];
            int[] lengths = new int[size];
            int[] status = new int[size];
            for (int i = 0; i < size; i++) {
                in[64 * i] = (byte) (8 * i);
                in[64 * i + 32] = (byte) (i == 1 ? 0 : 9); // a point of small order is refused
                lengths[i] = 64;
            }
            Lanes.runBatch(number, new long[size], in, lengths, out, status);
            for (int i = 0; i < size; i++) {
                byte[] alone = new byte[32];
                int own = Lanes.runOne(number, 0, Arrays.copyOfRange(in, 64 * i, 64 * i + 64), alone);
                assertEquals(own, status[i]);
                assertEquals(i == 1 ? Lanes.INVALID : Lanes.OK, own);
                assertArrayEquals(alone, Arrays.copyOfRange(out, 32 * i, 32 * i + 32));
            }
        }
    }

    /** Nothing is run, and nothing is written, where lengths do not fit the operation. */
    @Test
    void wrongLengths() {
        if (!Operation.X25519_DERIVE.isServed()) {
            return;
        }
        int number = Lanes.find("x25519-derive", new int[5]);
        for (int[] lengths : new int[][] {{64, 63}, {64, 65}, {64, 0}, {128, 0}, {-64, 192}}) {
            int[] status = {-1, -1};
            Lanes.runBatch(number, new long[2], new byte[128], lengths, new byte[64], status);
            assertArrayEquals(new int[] {Lanes.FAILED, Lanes.FAILED}, status, Arrays.toString(lengths));
        }
        int[] status = {-1, -1};
        Lanes.runBatch(number, new long[2], new byte[128], new int[] {64, 64}, new byte[63], status);
        assertArrayEquals(new int[] {Lanes.FAILED, Lanes.FAILED}, status);
        assertEquals(Lanes.FAILED, Lanes.runOne(number, 0, new byte[64], new byte[31]));
        assertEquals(Lanes.FAILED, Lanes.runOne(number, 0, new byte[9000], new byte[32]));
        assertEquals(-1, Lanes.find("no-such-operation", new int[5]));
    }
}
