package dev.sluice.engine.gpu;

import dev.sluice.engine.gpu.driver.GpuDriver;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A stream of work that is queued until somebody waits, as on a device, and its events. */
final class FakeStream implements GpuDriver.Stream {
    static final class FakeEvent implements GpuDriver.Event {
        volatile @Nullable Recorded last;
    }

    /** An event's place in a stream; who waits for it does so though it is recorded again. */
    static final class Recorded {
        final FakeStream stream;
        volatile boolean reached;

        Recorded(FakeStream stream) {
            this.stream = stream;
        }

        void await() {
            if (!reached) {
                stream.runUntil(this);
            }
        }
    }

    final Queue<Runnable> work = new ArrayDeque<>();
    volatile @Nullable Thread resident;

    synchronized void run() {
        for (Runnable task = work.poll(); task != null; task = work.poll()) {
            task.run();
        }
    }

    synchronized void runUntil(Recorded event) {
        while (!event.reached) {
            Objects.requireNonNull(work.poll(), "an event that was not recorded").run();
        }
    }

    synchronized void add(Runnable task) {
        work.add(task);
    }
}
