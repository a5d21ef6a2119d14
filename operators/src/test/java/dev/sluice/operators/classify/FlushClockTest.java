package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FlushClockTest {
    @Test
    void itCallsBackOnceNotBeforeTheDelayAndInAThreadOfItsOwn() throws Exception {
        BlockingQueue<Long> times = new LinkedBlockingQueue<>();
        BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
        long start = System.nanoTime();
        try (FlushClock clock = new FlushClock("clock of a test")) {
            for (long micros : new long[] {3000, 300, 1500}) {
                clock.after(
                        micros,
                        () -> {
                            threads.add(Thread.currentThread());
                            times.add(micros);
                        });
            }
            for (long micros : new long[] {300, 1500, 3000}) {
                assertEquals(micros, times.poll(20, TimeUnit.SECONDS));
                assertTrue(System.nanoTime() - start >= micros * 1000, micros + " µs are not over");
            }
            Thread thread = threads.poll();
            assertNotEquals(Thread.currentThread(), thread);
            assertEquals("clock of a test", thread.getName());
            assertTrue(thread.isDaemon(), "it would keep a process alive");
        }
        assertTrue(times.isEmpty(), "a callback ran twice");
        assertNotNull(threads.poll());
    }
}
