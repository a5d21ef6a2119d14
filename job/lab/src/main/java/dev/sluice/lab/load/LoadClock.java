package dev.sluice.lab.load;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Time, and the waiting for it. Thread-safe. */
public interface LoadClock {
    /** A time in ns that only rises. */
    long nanos();

    /** The same time as ns since 1970 UTC, by a clock that is never set back. */
    long epochNanos();

    /** Waits about so long, or less; the thread rests meanwhile. */
    void rest(long nanos);

    /** The machine's clock. */
    static LoadClock system() {
        Instant now = Instant.now();
        long apart =
                TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano() - System.nanoTime();
        return new LoadClock() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public long epochNanos() {
                return System.nanoTime() + apart;
            }

            @Override
            public void rest(long nanos) {
                LockSupport.parkNanos(nanos);
            }
        };
    }
}
