package dev.sluice.engine.gpu;

/**
 * Choice between the CPU and a wait for the device, for a batch that finds every staging buffer of
 * its device taken. Both ways are timed by what they cost the thread that has the batch: the CPU's
 * look-up a header; for the device a batch, since how long a busy device keeps a thread does not
 * depend on the batch: waiting for a buffer, launching, and waiting for the verdicts. The quicker
 * way takes the batches. The other one gets a batch now and then to be timed again, which takes one
 * part in {@value #REST} of the time at most.
 *
 * <p>A thread waits for a buffer no longer than the CPU is known to need; then the CPU takes the
 * batch. So the wrong way costs twice the right one at most, and threads that hold buffers and wait
 * for those of one another do not wait for ever.
 *
 * <p>Thread-safe.
 */
final class CpuHelp {
    /** The slower way is left alone for so many times what it took. */
    static final int REST = 32;

    private final Way cpu = new Way();
    private final Way device = new Way();

    /** How long one way takes; guarded by the outer object. */
    private static final class Way {
        private double last = Double.NaN;
        private double before = Double.NaN;
        private long tried;

        void took(double nanos, long now) {
            before = last;
            last = nanos;
            tried = now;
        }

        boolean isKnown() {
            return !Double.isNaN(last);
        }

        /** The quicker of two times: a pause of the thread, or cold code, only adds. */
        double nanos() {
            return Double.isNaN(before) ? last : Math.min(last, before);
        }
    }

    /**
     * Decides who takes a batch that finds no buffer.
     *
     * @param now ns
     * @return ns for which the thread may wait for a buffer before the CPU takes the batch; 0: the
     *     CPU takes it at once
     */
    synchronized long patienceNanos(int headers, long now) {
        if (!cpu.isKnown()) {
            return 0; // to be timed
        }
        double byCpu = cpu.nanos() * headers;
        boolean waits = true;
        if (device.isKnown()) {
            double byDevice = device.nanos();
            waits = byDevice < byCpu;
            Way other = waits ? cpu : device;
            if (now - other.tried >= REST * Math.max(byCpu, byDevice)) {
                other.tried = now; // or every thread would try it
                waits = !waits;
            }
        }
        return waits ? Math.max(1, (long) byCpu) : 0;
    }

    /** The CPU took a batch, and so long. */
    synchronized void cpuTook(int headers, long nanos, long now) {
        if (headers > 0) {
            cpu.took((double) nanos / headers, now);
        }
    }

    /**
     * A batch waited for a buffer, and has its verdicts from the device; the thread gave so long.
     */
    synchronized void deviceTook(long nanos, long now) {
        device.took((double) nanos, now);
    }

    /** A batch waited so long in vain; the CPU takes it now. */
    synchronized void waitedInVain(int headers, long nanos, long now) {
        double byCpu = cpu.nanos() * headers;
        device.took(Math.max((double) nanos, byCpu) + byCpu, now);
    }
}
