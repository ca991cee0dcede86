// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
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
        Meeting meeting = new Meeting(jobs -> {
            if (jobs.isEmpty() || jobs.size() > Lanes.COUNT) {
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
        Meeting meeting = new Meeting(jobs -> {
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
        if (!Lanes.serves(Lanes.X25519_DERIVE)) {
            return;
        }
        for (int size = 1; size <= Lanes.COUNT; size++) {
            byte[][] in = new byte[size][64];
            byte[][] out = new byte[size][32];
            int[] status = new int[size];
            for (int i = 0; i < size; i++) {
                in[i][0] = (byte) (8 * i);
                in[i][32] = (byte) (i == 1 ? 0 : 9); // a point of small order is refused
            }
            if (size > 2) {
                in[2] = new byte[9000];
            }
            Lanes.runBatch(Lanes.X25519_DERIVE, new long[size], in, out, status);
            for (int i = 0; i < size; i++) {
                byte[] alone = new byte[32];
                int own = Lanes.runOne(Lanes.X25519_DERIVE, 0, in[i], alone);
                assertEquals(own, status[i]);
                assertEquals(i == 1 || i == 2, own != Lanes.OK);
                assertTrue(java.util.Arrays.equals(alone, out[i]));
            }
        }
    }
}
