package dev.sluice.operators.classify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.operators.classify.ClassifyOptions.VerdictFormat;
import dev.sluice.schemas.codec.Verdict;
import dev.sluice.schemas.codec.VerdictBlock;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When batches are submitted, how many are under way, and what is emitted in which order. */
@Timeout(60)
class BatchPipelineTest extends PipelineHarness {
    @Test
    void aBatchTakesHeadersOfManyBlocksAndABlockMayLieInManyBatches() throws Exception {
        BatchPipeline pipeline = pipeline();
        pipeline.add(Packets.block(5, 1, 4));
        pipeline.add(Packets.block(6, 5, 4));
        pipeline.add(Packets.block(7, 9, 25));
        assertEquals(List.of(10, 10, 10), submitted);
        pipeline.drain();
        assertEquals(List.of(10, 10, 10, 3), submitted);
        assertEquals(List.of(10, 10, 10, 3), lookup.submitted);
        assertEquals(List.of(4, 4, 25), emitted.stream().map(VerdictBlock::count).toList());
        assertEquals(List.of(5, 6, 7), shards);
        checkEmitted(33);
        assertEquals(emitted.size(), answered);
    }

    @Test
    void verdictsAreEmittedInTheMailboxThreadAlone() throws Exception {
        BatchPipeline pipeline = pipeline();
        pipeline.add(Packets.block(0, 1, BATCH));
        assertEquals(List.of(), lookup.submitted, "the caller looked up");
        runAll(tasks);
        assertEquals(List.of(BATCH), lookup.submitted);
        assertEquals(List.of(), emitted, "the worker emitted");
        assertEquals(1, pipeline.inFlight());
        runAll(mails);
        checkEmitted(BATCH);
        assertEquals(0, pipeline.inFlight());
    }

    @Test
    void aBatchThatDoesNotFillIsSubmittedAfterItsDelay() throws Exception {
        BatchPipeline pipeline = pipeline();
        pipeline.add(Packets.block(0, 1, 3));
        pipeline.add(Packets.block(0, 4, 3));
        assertEquals(List.of(700L), delays, "one timer a batch, from its first header on");
        assertEquals(List.of(), submitted);
        runAll(timers);
        assertEquals(List.of(), submitted, "the timer's thread submitted");
        runAll(mails);
        assertEquals(List.of(6), submitted);
        runAll(tasks);
        runAll(mails);
        checkEmitted(6);
        assertEquals(0, pipeline.inFlight());
    }

    /** Each of these is on its way for longer than the quarter by which a batch may go earlier. */
    @Test
    void aBatchThatDoesNotFillGoesEarlierByWhatItsWayTakesUpToAQuarterOfItsDelay()
            throws Exception {
        maxDelayMicros = 100;
        BatchPipeline pipeline = pipeline();
        for (int batch = 0; batch < 300; batch++) {
            pipeline.add(Packets.block(0, 1 + batch, 1));
            long start = System.nanoTime();
            while (System.nanoTime() - start < 2 * 1000 * maxDelayMicros) {
                Thread.onSpinWait();
            }
            runAll(timers);
            runAll(mails);
            runAll(tasks);
            runAll(mails);
        }
        checkEmitted(300);
        assertEquals(100, delays.get(0));
        assertEquals(75, delays.get(299));
    }

    @Test
    void theTimerOfABatchThatWasSubmittedLeavesTheNextAlone() throws Exception {
        maxDelayMicros = 600_000_000;
        BatchPipeline pipeline = pipeline();
        pipeline.add(Packets.block(0, 1, 2));
        pipeline.add(Packets.block(0, 3, BATCH));
        assertEquals(1, timers.size());
        timers.remove().run();
        runAll(mails);
        assertEquals(List.of(BATCH), submitted, "the second batch went by the first one's timer");
        assertEquals(1, timers.size(), "nothing would hand the second batch over");
        assertTrue(delays.get(1) <= maxDelayMicros, "it waits longer than it may");
        timers.remove().run();
        runAll(mails);
        assertEquals(List.of(BATCH, 2), submitted);
        pipeline.drain();
        checkEmitted(BATCH + 2);
    }

    @Test
    void oneTimerIsSetHoweverManyBatchesStartWithinALongDelay() throws Exception {
        maxDelayMicros = 600_000_000;
        int part = BATCH - 1;
        BatchPipeline pipeline = pipeline();
        for (int batch = 0; batch < 1000; batch++) {
            pipeline.add(Packets.block(0, 1 + batch * part, part));
            pipeline.drain();
        }
        checkEmitted(1000 * part);
        assertEquals(1, timers.size());
        assertEquals(List.of(maxDelayMicros), delays);
        timers.remove().run();
        runAll(mails);
        assertEquals(List.of(), List.copyOf(timers), "no batch is filling that it could be for");
        pipeline.add(Packets.block(0, 1 + 1000 * part, 1));
        assertEquals(1, timers.size(), "the next batch would never be handed over");
    }

    @Test
    void blocksThatFillTheirBatchesSetNoTimer() throws Exception {
        BatchPipeline pipeline = pipeline();
        pipeline.add(Packets.block(0, 1, BATCH));
        pipeline.add(Packets.block(0, 1 + BATCH, 3 * BATCH));
        assertEquals(List.of(BATCH, BATCH, BATCH, BATCH), submitted);
        assertEquals(List.of(), List.copyOf(timers));
        pipeline.drain();
        checkEmitted(4 * BATCH);
    }

    @Test
    void theCallerIsHeldBackWhileAsManyBatchesAreInFlightAsMayBe() throws Exception {
        BatchPipeline pipeline = pipeline();
        pipeline.add(Packets.block(0, 1, IN_FLIGHT * BATCH));
        assertEquals(IN_FLIGHT, pipeline.inFlight());
        assertEquals(List.of(), lookup.submitted, "nobody had to wait yet");
        pipeline.add(Packets.block(0, 1 + IN_FLIGHT * BATCH, 1));
        assertEquals(IN_FLIGHT - 1, pipeline.inFlight(), "one batch was emitted to make room");
        assertEquals(IN_FLIGHT * BATCH, lookup.submitted.size() * BATCH);
        pipeline.add(Packets.block(0, 2 + IN_FLIGHT * BATCH, 20 * BATCH));
        assertTrue(pipeline.inFlight() <= IN_FLIGHT, pipeline.inFlight() + " are in flight");
        pipeline.drain();
        checkEmitted(IN_FLIGHT * BATCH + 1 + 20 * BATCH);
    }

    @Test
    void severalBatchesAreUnderWayOnTheDeviceAtOnceAndTheEldestEndsFirst() throws Exception {
        BatchPipeline pipeline = pipeline();
        pipeline.add(Packets.block(0, 1, 2 * BATCH));
        tasks.remove().run();
        assertEquals(List.of(), lookup.awaited, "it waited although another batch was there");
        assertEquals(1, lookup.underWay);
        tasks.remove().run();
        assertEquals(List.of(1, 2), lookup.awaited, "nothing else is there: both are waited for");
        assertEquals(2, lookup.mostUnderWay);
        pipeline.add(Packets.block(0, 1 + 2 * BATCH, 9 * BATCH));
        pipeline.drain();
        assertEquals(IN_FLIGHT, lookup.mostUnderWay);
        assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), lookup.awaited);
        checkEmitted(11 * BATCH);
    }

    @Test
    void aWorkerReadsVerdictsBeforeItWaitsForAFullDevice() throws Exception {
        lookup.room = 2;
        BatchPipeline pipeline = pipeline();
        pipeline.add(Packets.block(0, 1, 9 * BATCH));
        pipeline.drain();
        assertEquals(2, lookup.mostUnderWay, "a batch was submitted that had to wait");
        assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9), lookup.awaited);
        checkEmitted(9 * BATCH);
    }

    @Test
    void drainEmitsEverythingAndTellsTheDeviceThatNothingComes() throws Exception {
        BatchPipeline pipeline = pipeline();
        pipeline.drain();
        assertEquals(1, lookup.rests);
        pipeline.add(Packets.block(0, 1, 2 * BATCH + 3));
        assertEquals(1, lookup.rests);
        pipeline.drain();
        assertEquals(0, pipeline.inFlight());
        assertEquals(2, lookup.rests);
        checkEmitted(2 * BATCH + 3);
    }

    @Test
    void headersBeforeARuleChangeStayUnderTheRulesBefore() throws Exception {
        BatchPipeline pipeline = pipeline();
        FakeLookup second = new FakeLookup(2);
        pipeline.add(Packets.block(0, 1, BATCH + 4));
        pipeline.use(second);
        assertEquals(List.of(BATCH, 4), submitted, "the batch took headers of both versions");
        pipeline.add(Packets.block(0, BATCH + 5, 6));
        assertFalse(lookup.isClosed(), "batches of the first rules are in flight");
        runAll(tasks);
        mails.remove().run();
        assertFalse(lookup.isClosed(), "one batch of the first rules is not emitted");
        mails.remove().run();
        assertTrue(lookup.isClosed());
        pipeline.drain();
        assertEquals(List.of(1L, 2L), emitted.stream().map(VerdictBlock::version).toList());
        assertEquals(List.of(BATCH, 4), lookup.submitted);
        assertEquals(List.of(6), second.submitted);
        assertFalse(second.isClosed());
        checkEmitted(BATCH + 10);
    }

    @Test
    void rulesThatNoBatchWasSubmittedUnderCloseAtOnce() {
        BatchPipeline pipeline = pipeline();
        pipeline.use(new FakeLookup(2));
        assertTrue(lookup.isClosed());
    }

    @Test
    void aPacketBeforeTheFirstRulesIsRefused() {
        BatchPipeline pipeline =
                new BatchPipeline(
                        options(),
                        null,
                        tasks::add,
                        (micros, callback) -> {},
                        null,
                        null,
                        null,
                        this);
        String message =
                assertThrows(
                                IllegalStateException.class,
                                () -> pipeline.add(Packets.block(0, 1, 2)))
                        .getMessage();
        assertTrue(message.contains("before the first rule set"), message);
    }

    @Test
    void headersAreWrittenToTheDevicesMemoryWhereThereIsSome() throws Exception {
        BatchPipeline pipeline = pipeline();
        lookup.stages = 2; // of three that may be in flight: the third goes by the heap
        pipeline.add(Packets.block(0, 1, 3 * BATCH));
        assertEquals(2, lookup.staged);
        pipeline.add(Packets.block(0, 1 + 3 * BATCH, 7 * BATCH));
        pipeline.drain();
        assertTrue(lookup.staged > 2, "memory that was given back is used again");
        assertEquals(2, lookup.stages, "all of the device's memory was given back");
        assertEquals(0, lookup.dropped);
        checkEmitted(10 * BATCH);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailureIsThrownInTheMailboxThreadBehindTheVerdictsOfTheBatchesBefore(boolean atOnce)
            throws Exception {
        BatchPipeline pipeline = pipeline();
        if (atOnce) {
            lookup.failingSubmit = 2;
        } else {
            lookup.failingAwait = 2;
        }
        pipeline.add(Packets.block(0, 1, BATCH));
        pipeline.add(Packets.block(0, 1 + BATCH, BATCH));
        pipeline.add(Packets.block(0, 1 + 2 * BATCH, BATCH));
        runAll(tasks);
        assertEquals(3, mails.size());
        mails.remove().run();
        checkEmitted(BATCH);
        IllegalStateException failure =
                assertThrows(IllegalStateException.class, () -> mails.remove().run());
        assertEquals((atOnce ? "submit" : "await") + " 2", failure.getCause().getMessage());
        assertEquals(1, pipeline.inFlight());
        checkEmitted(BATCH);
    }

    @Test
    void aFailureEndsADrain() throws Exception {
        BatchPipeline pipeline = pipeline();
        lookup.failingAwait = 1;
        pipeline.add(Packets.block(0, 1, 3));
        assertThrows(IllegalStateException.class, pipeline::drain);
        assertEquals(List.of(), emitted);
    }

    @Test
    void whatIsNotEmittedAtTheEndIsWaitedForOrGivesItsMemoryBack() throws Exception {
        BatchPipeline pipeline = pipeline();
        lookup.stages = 3;
        pipeline.add(Packets.block(0, 1, 2 * BATCH + 1));
        tasks.remove().run(); // the first is under way, the second waits, the third is filling
        assertEquals(1, lookup.underWay);
        assertEquals(1, lookup.stages, "the fake gives the memory of a batch back at its start");
        pipeline.discard();
        assertEquals(0, lookup.underWay, "the device's memory goes while a batch is under way");
        assertEquals(2, lookup.dropped);
        assertEquals(3, lookup.stages);
        assertEquals(List.of(), emitted);
        assertTrue(mails.isEmpty());
    }

    @Test
    void recordsAreEmittedOneAPacket() throws Exception {
        format = VerdictFormat.RECORDS;
        BatchPipeline pipeline = pipeline();
        pipeline.add(Packets.block(3, 1, BATCH + 2));
        runAll(tasks);
        runAll(mails);
        assertEquals(BATCH, messages.size(), "single verdicts leave with their batch");
        pipeline.drain();
        assertEquals(BATCH + 2, messages.size());
        for (int i = 0; i < messages.size(); i++) {
            Verdict verdict = Verdict.decode(messages.get(i));
            assertEquals(i + 1, verdict.packet());
            long rule = FakeLookup.ruleOf(i + 1);
            assertEquals(rule < 0 ? null : rule, verdict.ruleId());
            assertEquals(3, shards.get(i));
        }
    }

    @Test
    void batchesAreFilledAgainWhileTheRulesStay() throws Exception {
        BatchPipeline pipeline = pipeline();
        List<Object> verdicts = new ArrayList<>();
        for (int round = 0; round < 5; round++) {
            pipeline.add(Packets.block(0, 1 + (long) round * BATCH, BATCH));
            pipeline.drain();
            verdicts.add(lookup.lastVerdicts);
        }
        assertNotNull(verdicts.get(0));
        for (Object later : verdicts) {
            assertSame(verdicts.get(0), later, "memory for a batch was made anew");
        }
        checkEmitted(5 * BATCH);
    }

    /** A worker and a timer with threads of their own, blocks of any size, rules that change. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void everyPacketIsEmittedOnceAndInOrderWhateverTheThreadsDo(long seed) throws Exception {
        Random random = TestSeed.random(seed);
        BlockingQueue<Runnable> box = new LinkedBlockingQueue<>();
        BatchPipeline.Mailbox mailbox =
                new BatchPipeline.Mailbox() {
                    @Override
                    public void execute(Runnable mail) {
                        box.add(mail);
                    }

                    @Override
                    public void runNext() throws InterruptedException {
                        Runnable mail = box.poll(30, TimeUnit.SECONDS);
                        assertNotNull(mail, "no mail in 30 s; seed " + seed);
                        mail.run();
                    }
                };
        ExecutorService worker = Executors.newSingleThreadExecutor();
        List<FakeLookup> all = new ArrayList<>();
        try (FlushClock clock = new FlushClock("test clock")) {
            BatchPipeline pipeline =
                    new BatchPipeline(options(), mailbox, worker, clock, null, null, null, this);
            long packet = 1;
            for (int round = 0; round < 3000; round++) {
                if (round % 100 == 0) {
                    FakeLookup next = new FakeLookup(round);
                    next.stages = random.nextInt(5);
                    all.add(next);
                    pipeline.use(next);
                }
                int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 60 : 6);
                pipeline.add(Packets.block(round % 8, packet, count));
                packet += count;
                if (random.nextInt(50) == 0) {
                    pipeline.drain();
                    assertEquals(0, pipeline.inFlight());
                    checkEmitted((int) packet - 1);
                }
                for (Runnable mail = box.poll(); mail != null; mail = box.poll()) {
                    mail.run();
                }
            }
            pipeline.drain();
            checkEmitted((int) packet - 1);
        } finally {
            worker.shutdownNow();
            assertTrue(worker.awaitTermination(10, TimeUnit.SECONDS));
        }
        assertEquals(3000, emitted.size());
        for (FakeLookup each : all) {
            assertEquals(each == all.get(all.size() - 1), !each.isClosed());
            assertTrue(each.mostUnderWay <= IN_FLIGHT);
        }
    }
}
