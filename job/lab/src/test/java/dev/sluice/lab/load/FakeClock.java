package dev.sluice.lab.load;

import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still but for rests and what a test has it do. Thread-safe. */
final class FakeClock implements LoadClock {
    static final long EPOCH_NANOS = 1_700_000_000_000_000_000L;

    private final AtomicLong nanos = new AtomicLong(-5_000_000_000L);
    private final AtomicLong rests = new AtomicLong();

    @Override
    public long nanos() {
        return nanos.get();
    }

    @Override
    public long epochNanos() {
        return EPOCH_NANOS + nanos.get();
    }

    @Override
    public void rest(long howLong) {
        if (howLong <= 0) {
            throw new IllegalArgumentException("a rest of " + howLong + " ns is none");
        }
        rests.incrementAndGet();
        nanos.addAndGet(howLong);
    }

    /** Goes on without a rest: a thread that did not run, a broker that took its time. */
    void pass(long howLong) {
        nanos.addAndGet(howLong);
    }

    /** How often somebody rested. */
    long rests() {
        return rests.get();
    }
}
