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
        BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
        try (FlushClock clock = new FlushClock("clock of a test")) {
            for (long micros : new long[] {3000, 300, 1500}) {
                long start = System.nanoTime();
                clock.after(micros, () -> threads.add(Thread.currentThread()));
                Thread thread = threads.poll(20, TimeUnit.SECONDS);
                assertTrue(System.nanoTime() - start >= micros * 1000, micros + " µs are not over");
                assertNotNull(thread, "no call back in 20 s");
                assertNotEquals(Thread.currentThread(), thread);
                assertEquals("clock of a test", thread.getName());
                assertTrue(thread.isDaemon(), "it would keep a process alive");
            }
        }
        assertTrue(threads.isEmpty(), "a callback ran twice");
    }
}
