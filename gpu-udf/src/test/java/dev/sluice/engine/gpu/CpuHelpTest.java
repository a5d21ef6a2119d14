package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.lookup.VersionLookUp;
import dev.sluice.engine.memory.ChangeSource;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The CPU takes batches of a busy device where that is quicker than to wait, and not otherwise. */
@Timeout(60)
class CpuHelpTest extends GpuFixture {
    private static final int HEADERS = 100;

    /** Of the CPU a header, and of a busy device a batch, in ns. */
    private static CpuHelp timed(int cpu, int device) {
        CpuHelp help = new CpuHelp();
        help.cpuTook(HEADERS, (long) cpu * HEADERS, 0);
        help.deviceTook(device, 0);
        return help;
    }

    @Test
    void whatWasNotTimedIsTriedFirst() {
        CpuHelp help = new CpuHelp();
        assertEquals(0, help.patienceNanos(HEADERS, 0), "the CPU was not timed");
        help.cpuTook(HEADERS, 5_000, 10);
        assertEquals(5_000, help.patienceNanos(HEADERS, 10), "the device was not timed");
    }

    @Test
    void theQuickerWayTakesTheBatches() {
        assertEquals(0, timed(10, 3_000).patienceNanos(HEADERS, 1));
        assertEquals(1_000, timed(10, 900).patienceNanos(HEADERS, 1));
    }

    @Test
    void aLargeBatchWaitsWhereASmallOneDoesNot() {
        CpuHelp help = timed(10, 3_000);
        assertEquals(0, help.patienceNanos(200, 1));
        assertEquals(4_000, help.patienceNanos(400, 1));
    }

    @Test
    void theSlowerWayIsTriedAgainNowAndThenAndTakenOnceItIsQuicker() {
        CpuHelp help = timed(10, 3_000);
        long due = CpuHelp.REST * 3_000L;
        assertEquals(0, help.patienceNanos(HEADERS, due - 1));
        assertEquals(1_000, help.patienceNanos(HEADERS, due), "the device is due");
        assertEquals(0, help.patienceNanos(HEADERS, due), "by one batch alone");
        help.cpuTook(HEADERS, 1_000, due);
        help.deviceTook(500, due + 500);
        assertEquals(1_000, help.patienceNanos(HEADERS, due + 500), "it is quicker now");
    }

    @Test
    void whoWaitedInVainCountsTheCpusTimeToo() {
        CpuHelp help = new CpuHelp();
        help.cpuTook(HEADERS, 1_000, 0);
        help.waitedInVain(HEADERS, 1, 1);
        assertEquals(0, help.patienceNanos(HEADERS, 2));
    }

    @Test
    void onePauseDoesNotMakeAWaySlow() {
        CpuHelp help = timed(10, 3_000);
        help.cpuTook(HEADERS, 1_000_000, 1);
        assertEquals(0, help.patienceNanos(HEADERS, 2));
    }

    /** Takes as long as is wished, by the test's clock. */
    private final class SlowCpu implements Classifier {
        private final Classifier plain;
        private final AtomicLong nanos = new AtomicLong();

        SlowCpu(RuleSet rules) {
            plain = Engine.compile(rules, EngineOptions.of(Algorithm.of("tuple")));
        }

        @Override
        public Image image() {
            return plain.image();
        }

        @Override
        public void classify(HeaderBatch headers, VerdictBatch verdicts) {
            plain.classify(headers, verdicts);
            clock.addAndGet(nanos.get());
        }
    }

    /** A device with one buffer, which a batch has when another one comes. */
    private final class BusyDevice implements AutoCloseable {
        private final RuleSet rules = rules(5);
        private final SlowCpu cpu = new SlowCpu(rules);
        private final GpuDevice device = device(1, 128);
        private final GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get);
        private final HeaderBatch batch = headers(rules, HEADERS, 1);
        private final int[] wanted = expected(cpu, batch);

        BusyDevice() {
            gpu.cpuHelps(true);
        }

        /**
         * Has a batch come.
         *
         * @param busyNanos for which the device is busy, by the test's clock
         * @return whether it waited
         */
        boolean aBatchWaits(long busyNanos) throws Exception {
            VerdictBatch first = new VerdictBatch(HEADERS);
            VerdictBatch second = new VerdictBatch(HEADERS);
            PendingVerdicts busy = gpu.submit(batch, first);
            CompletableFuture<PendingVerdicts> coming = new CompletableFuture<>();
            Thread thread = new Thread(() -> coming.complete(gpu.submit(batch, second)));
            thread.start();
            while (!coming.isDone() && thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            boolean waited = !coming.isDone();
            clock.addAndGet(busyNanos);
            busy.await();
            coming.get().await();
            thread.join();
            assertArrayEquals(wanted, first.rules());
            assertArrayEquals(wanted, second.rules());
            return waited;
        }

        @Override
        public void close() {
            gpu.close();
            device.close();
        }
    }

    @Test
    void theCpuHelpsABusyDeviceOnlyWhileItIsTheQuickerOne() throws Exception {
        try (BusyDevice on = new BusyDevice()) {
            on.cpu.nanos.set(30 * SECOND); // which a thread would wait by a real clock
            assertFalse(on.aBatchWaits(SECOND), "the CPU is timed");
            for (int b = 0; b < 10; b++) {
                assertTrue(on.aBatchWaits(SECOND), "the device is quicker");
            }
            assertEquals(1, on.gpu.figures().cpuBatches.sum());
            assertEquals(HEADERS, on.gpu.figures().cpuHeaders.sum());

            clock.addAndGet(CpuHelp.REST * 30 * SECOND);
            assertFalse(on.aBatchWaits(SECOND), "the CPU is due to be timed again");
            for (int b = 0; b < 2; b++) {
                assertTrue(on.aBatchWaits(100 * SECOND), "one pause does not make it slow");
            }
            long before = on.gpu.figures().cpuBatches.sum();
            for (int b = 0; b < 8; b++) {
                assertFalse(on.aBatchWaits(SECOND), "the CPU is quicker by now");
            }
            assertEquals(before + 8, on.gpu.figures().cpuBatches.sum());
            assertEquals(0, on.gpu.figures().fallBacks.sum());
        }
    }

    @Test
    void whoWaitsLongerThanTheCpuNeedsIsServedByTheCpu() {
        try (BusyDevice on = new BusyDevice()) {
            on.cpu.nanos.set(SECOND / 1000);
            VerdictBatch first = new VerdictBatch(HEADERS);
            PendingVerdicts busy = on.gpu.submit(on.batch, first);
            // The thread that has the only buffer waits for one: nobody else would give it back.
            for (int b = 0; b < 2; b++) {
                VerdictBatch verdicts = new VerdictBatch(HEADERS);
                assertSame(PendingVerdicts.READY, on.gpu.submit(on.batch, verdicts));
                assertArrayEquals(on.wanted, verdicts.rules());
            }
            busy.await();
            assertArrayEquals(on.wanted, first.rules());
            assertEquals(2, on.gpu.figures().cpuBatches.sum());
        }
    }

    /** The base alone; something happens when it is asked the second time whether it is. */
    private record Interrupted(Classifier cpu, AtomicInteger asked, Runnable meanwhile)
            implements VersionLookUp {
        @Override
        public boolean changed() {
            if (asked.incrementAndGet() == 2) { // behind the look for a free buffer
                meanwhile.run();
            }
            return false;
        }

        @Override
        public int tick() {
            return 0;
        }

        @Override
        public int directory() {
            return 0;
        }

        @Override
        public @Nullable ChangeSource source() {
            return null;
        }

        @Override
        public void classify(HeaderBatch headers, VerdictBatch verdicts) {
            cpu.classify(headers, verdicts);
        }
    }

    /** Who would give a buffer back may be who waits for one: nobody waits without a bound. */
    @Test
    void whoLosesTheLastBufferInARaceIsServedByTheCpu() {
        try (BusyDevice on = new BusyDevice()) {
            VerdictBatch winner = new VerdictBatch(HEADERS);
            VerdictBatch loser = new VerdictBatch(HEADERS);
            List<PendingVerdicts> flights = new ArrayList<>();
            Interrupted version =
                    new Interrupted(
                            on.cpu,
                            new AtomicInteger(),
                            () -> flights.add(on.gpu.submit(on.batch, winner)));
            assertSame(PendingVerdicts.READY, on.gpu.submit(version, on.batch, loser));
            assertArrayEquals(on.wanted, loser.rules());
            assertEquals(1, on.gpu.figures().cpuBatches.sum());
            flights.get(0).await();
            assertArrayEquals(on.wanted, winner.rules());
            assertEquals(1, on.gpu.figures().batches.sum());
            assertEquals(0, on.gpu.figures().fallBacks.sum());
        }
    }

    @Test
    void aSharedLaunchThatLosesTheLastBufferIsServedByTheCpu() {
        try (BusyDevice on = new BusyDevice();
                GpuClassifier shared = new GpuClassifier(on.device, on.cpu, clock::get)) {
            shared.cpuHelps(true);
            shared.offloadMode(mode("gather=4"));
            HeaderBatch small = headers(on.rules, 30, 2);
            int[] wanted = expected(on.cpu, small);
            VerdictBatch first = new VerdictBatch(30);
            VerdictBatch second = new VerdictBatch(30);
            List<PendingVerdicts> winner = new ArrayList<>();
            Interrupted version =
                    new Interrupted(
                            on.cpu,
                            new AtomicInteger(),
                            () -> winner.add(on.gpu.submit(on.batch, new VerdictBatch(HEADERS))));
            PendingVerdicts one = shared.submit(small, first);
            PendingVerdicts two = shared.submit(version, small, second);
            two.await();
            one.await();
            assertArrayEquals(wanted, first.rules());
            assertArrayEquals(wanted, second.rules());
            assertEquals(2, shared.figures().cpuBatches.sum());
            assertEquals(0, shared.figures().fallBacks.sum());
            winner.get(0).await();
            assertEquals(0, on.device.memory().staging().busy());
        }
    }
}
