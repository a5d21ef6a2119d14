package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Compiler;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.BatchClassifier;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.SampleHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.testing.TestSeed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches that go to a device, with a driver that runs on the heap. */
@Timeout(60)
class GpuClassifierTest {
    private static final long SECOND = 1_000_000_000L;

    private final FakeDriver fake = new FakeDriver(2);
    private final FaultInjector driver = new FaultInjector(fake);
    private final AtomicLong clock = new AtomicLong();

    private static RuleSet rules(int seed) {
        List<Rule> rules = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            Match match =
                    new Match.Builder()
                            .field(Field.IPV4_DST, (i * seed) << 20, 0xfff00000)
                            .field(Field.DST_PORT, i % 7)
                            .build();
            rules.add(new Rule(i + 1, i, match, "a", i + 1));
        }
        return RuleSet.of("r", 1, RuleSet.DROP, rules);
    }

    private static HeaderBatch headers(RuleSet rules, int count, long seed) {
        return new SampleHeaders(rules, TestSeed.of(seed)).batch(rules.layout(), count);
    }

    private static int[] expected(Classifier cpu, HeaderBatch headers) {
        VerdictBatch verdicts = new VerdictBatch(headers.size());
        cpu.classify(headers, verdicts);
        return verdicts.rules();
    }

    private GpuDevice device(int slots, int slotHeaders) {
        return new GpuDevice(driver, 0, slots, slotHeaders, 4);
    }

    private static OffloadMode mode(String text) {
        return OffloadPreference.parse(text).orElse(OffloadMode.PLAIN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "copy",
                "mapped",
                "on-demand,copy,streams=1",
                "on-demand,mapped",
                "copy,streams=1",
                "mapped,streams=2,gather=4",
                "copy,gather=8",
                "persistent,mapped",
                "persistent,mapped,gather=2"
            })
    void batchesOfAnySizeAreAnswered(String mode) {
        RuleSet rules = rules(3);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(2, 256);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            gpu.offloadMode(mode(mode));
            for (int size : new int[] {0, 1, 31, 32, 255, 256, 257, 1000}) {
                HeaderBatch batch = headers(rules, Math.max(1, size), size);
                batch.size(size);
                VerdictBatch verdicts = new VerdictBatch(Math.max(1, size));
                gpu.classify(batch, verdicts);
                int[] wanted = expected(cpu, batch);
                assertArrayEquals(
                        Arrays.copyOf(wanted, size), Arrays.copyOf(verdicts.rules(), size));
            }
            assertEquals(7, gpu.batches());
            assertEquals(0, gpu.fallBacks());
        }
        assertEquals(0, fake.blocks(), "memory is left");
        assertEquals(0, fake.open + fake.pinned + fake.streams);
    }

    @Test
    void severalBatchesAreUnderWayAndNeverMoreThanSlots() {
        RuleSet rules = rules(5);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(3, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            Deque<BatchClassifier.Flight> flights = new ArrayDeque<>();
            List<HeaderBatch> batches = new ArrayList<>();
            List<VerdictBatch> verdicts = new ArrayList<>();
            for (int b = 0; b < 30; b++) {
                batches.add(headers(rules, 100, b));
                verdicts.add(new VerdictBatch(100));
                flights.add(gpu.submit(batches.get(b), verdicts.get(b)));
                assertTrue(device.busy() <= 3);
                if (flights.size() == 3) {
                    flights.remove().await();
                }
            }
            assertEquals(2, device.busy());
            flights.forEach(BatchClassifier.Flight::await);
            for (int b = 0; b < 30; b++) {
                assertArrayEquals(expected(cpu, batches.get(b)), verdicts.get(b).rules());
            }
            assertEquals(0, device.busy());
        }
    }

    @Test
    void whoFindsNoSlotWaitsOrLetsTheCpuHelp() throws Exception {
        RuleSet rules = rules(5);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(1, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            HeaderBatch batch = headers(rules, 100, 1);
            VerdictBatch first = new VerdictBatch(100);
            BatchClassifier.Flight flight = gpu.submit(batch, first);
            ExecutorService other = Executors.newSingleThreadExecutor();
            VerdictBatch second = new VerdictBatch(100);
            Future<?> waiting = other.submit(() -> gpu.classify(batch, second));
            Thread.sleep(50);
            assertFalse(waiting.isDone());
            gpu.cpuHelps(true);
            VerdictBatch third = new VerdictBatch(100);
            gpu.classify(batch, third);
            assertEquals(1, gpu.cpuBatches());
            flight.await();
            waiting.get();
            other.shutdown();
            int[] wanted = expected(cpu, batch);
            assertArrayEquals(wanted, first.rules());
            assertArrayEquals(wanted, second.rules());
            assertArrayEquals(wanted, third.rules());
        }
    }

    @Test
    void anImageIsThereOnceAndGoesWithItsLastUser() {
        RuleSet rules = rules(7);
        try (GpuDevice device = device(1, 64)) {
            int empty = fake.blocks();
            GpuClassifier a =
                    new GpuClassifier(device, Compiler.of(Algorithm.of("tuple")).compile(rules));
            GpuClassifier b =
                    new GpuClassifier(device, Compiler.of(Algorithm.of("tuple")).compile(rules));
            GpuClassifier other =
                    new GpuClassifier(device, Compiler.of(Algorithm.of("tuple")).compile(rules(9)));
            assertEquals(2, device.images());
            assertEquals(empty + 2, fake.blocks());
            a.close();
            a.close();
            assertEquals(2, device.images());
            b.close();
            other.close();
            assertEquals(0, device.images());
            assertEquals(empty, fake.blocks());
        }
    }

    @Test
    void anImageAtTheAddressOfAnotherIsNotTakenForIt() {
        try (GpuDevice device = device(1, 128)) {
            for (int seed = 3; seed < 40; seed += 2) {
                RuleSet rules = rules(seed);
                Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
                try (GpuClassifier gpu = new GpuClassifier(device, cpu)) {
                    HeaderBatch batch = headers(rules, 100, seed);
                    VerdictBatch verdicts = new VerdictBatch(100);
                    gpu.classify(batch, verdicts);
                    assertArrayEquals(expected(cpu, batch), verdicts.rules());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"COPY", "LAUNCH", "AWAIT"})
    void aBatchThatFailsIsClassifiedAgain(FaultInjector.Point point) {
        RuleSet rules = rules(11);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            int uploads = fake.uploads;
            driver.fail(point, 2, 719);
            for (int round = 0; round < 100; round++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(wanted, verdicts.rules(), "round " + round);
                if (round == 0) {
                    assertEquals(1, gpu.fallBacks());
                    assertTrue(gpu.resting());
                }
                clock.addAndGet(SECOND / 10);
            }
            // It failed at once and after a second; two seconds later it worked again.
            assertEquals(2, gpu.fallBacks());
            assertFalse(gpu.resting());
            assertTrue(gpu.batches() > 60, () -> gpu.batches() + " batches on the device");
            assertEquals(uploads + 2, fake.uploads, "the image was copied again");
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void flightsOfBeforeAFailureLand() {
        RuleSet rules = rules(13);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(3, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            VerdictBatch[] verdicts = new VerdictBatch[3];
            BatchClassifier.Flight[] flights = new BatchClassifier.Flight[3];
            for (int b = 0; b < 3; b++) {
                verdicts[b] = new VerdictBatch(100);
                flights[b] = gpu.submit(batch, verdicts[b]);
            }
            driver.fail(FaultInjector.Point.AWAIT, 3, 214);
            flights[0].await();
            clock.addAndGet(2 * SECOND);
            VerdictBatch meanwhile = new VerdictBatch(100);
            gpu.classify(batch, meanwhile); // two are still under way: the CPU answers
            assertArrayEquals(wanted, meanwhile.rules());
            flights[1].await();
            flights[2].await();
            for (VerdictBatch each : verdicts) {
                assertArrayEquals(wanted, each.rules());
            }
            clock.addAndGet(100 * SECOND);
            VerdictBatch after = new VerdictBatch(100);
            gpu.classify(batch, after);
            assertArrayEquals(wanted, after.rules());
            assertEquals(1, gpu.batches());
        }
    }

    @Test
    void aDeviceThatDoesNotOpenIsTriedLaterAndLater() {
        RuleSet rules = rules(15);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(1, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            driver.fail(FaultInjector.Point.OPEN, 5, 999);
            driver.fail(FaultInjector.Point.LAUNCH, 1, 700);
            int seconds = 0;
            while (gpu.batches() == 0 && seconds < 200) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(wanted, verdicts.rules());
                clock.addAndGet(SECOND);
                seconds++;
            }
            // 1 + 2 + 4 + 8 + 16 + 32 seconds of rest.
            assertTrue(seconds >= 60 && seconds < 70, "worked again after " + seconds);
        }
    }

    @Test
    void aDeviceThatStaysAwayIsClosedOnce() {
        RuleSet rules = rules(15);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(1, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 100, 4);
            driver.fail(FaultInjector.Point.OPEN, 1000, 999);
            driver.fail(FaultInjector.Point.LAUNCH, 1, 700);
            for (int second = 0; second < 10; second++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(expected(cpu, batch), verdicts.rules());
                clock.addAndGet(SECOND);
            }
            assertEquals(0, gpu.batches());
        }
        assertEquals(0, fake.open);
    }

    @Test
    void aDeviceWithoutRoomLeavesTheRulesToTheCpu() {
        RuleSet rules = rules(17);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        GpuPool pool = new GpuPool(() -> driver);
        GpuPool.Use use = pool.use(GpuPool.Selection.parse("1"), 0);
        assertNotNull(use);
        driver.fail(FaultInjector.Point.ALLOCATE, 1, 2);
        assertNull(use.classifier(cpu, rules, OffloadPreference.AUTO));
        use.close();
        assertEquals(0, fake.open);
    }

    @Test
    void aKernelThatStaysTakesManyBatchesAndLeavesWhenNothingComes() throws Exception {
        RuleSet rules = rules(19);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(3, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            device.residency(20_000, 10_000_000);
            gpu.offloadMode(mode("persistent,mapped"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            for (int b = 0; b < 500; b++) { // the ring goes round several times
                VerdictBatch first = new VerdictBatch(100);
                VerdictBatch second = new VerdictBatch(100);
                BatchClassifier.Flight flight = gpu.submit(batch, first);
                gpu.classify(batch, second);
                flight.await();
                assertArrayEquals(wanted, first.rules());
                assertArrayEquals(wanted, second.rules());
            }
            int started = fake.residencies;
            assertEquals(0, fake.launches);
            while (device.resident() > 0) {
                Thread.sleep(1); // it leaves by itself
            }
            VerdictBatch again = new VerdictBatch(100);
            gpu.classify(batch, again);
            assertArrayEquals(wanted, again.rules());
            assertTrue(fake.residencies > started);
            assertEquals(1, device.resident());
            gpu.rest();
            assertEquals(0, device.resident());
        }
        assertEquals(0, fake.blocks(), "memory is left");
        assertEquals(0, fake.open + fake.pinned + fake.streams);
    }

    @Test
    void aKernelThatStaysLeavesBeforeImagesComeAndGo() {
        RuleSet rules = rules(21);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            device.residency(10_000_000, 10_000_000);
            gpu.offloadMode(mode("persistent,mapped"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            for (int seed = 3; seed < 20; seed++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(wanted, verdicts.rules());
                assertTrue(device.resident() > 0);
                Classifier next = Compiler.of(Algorithm.of("tuple")).compile(rules(seed));
                // The fake driver refuses memory that comes or goes under a kernel that stays.
                try (GpuClassifier other = new GpuClassifier(device, next)) {
                    other.offloadMode(mode("persistent,mapped"));
                    other.classify(batch, verdicts);
                    assertArrayEquals(expected(next, batch), verdicts.rules());
                }
            }
            assertEquals(0, gpu.fallBacks());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void aKernelThatStaysYieldsToASecondJob() throws Exception {
        fake.oneAtATime = true; // nothing else runs while it stays
        RuleSet rules = rules(23);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        Classifier otherCpu = Compiler.of(Algorithm.of("tuple")).compile(rules(25));
        try (GpuDevice device = device(4, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu);
                GpuClassifier second = new GpuClassifier(device, otherCpu)) {
            device.residency(10_000_000, 20_000);
            gpu.offloadMode(mode("persistent,mapped"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            AtomicBoolean stop = new AtomicBoolean();
            ExecutorService first = Executors.newSingleThreadExecutor();
            Future<Integer> batches =
                    first.submit(
                            () -> {
                                int answered = 0;
                                while (!stop.get()) {
                                    VerdictBatch verdicts = new VerdictBatch(100);
                                    gpu.classify(batch, verdicts);
                                    assertArrayEquals(wanted, verdicts.rules());
                                    answered++;
                                }
                                return answered;
                            });
            while (gpu.batches() == 0) {
                Thread.onSpinWait();
            }
            int[] other = expected(otherCpu, batch);
            for (int b = 0; b < 5; b++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                second.classify(batch, verdicts);
                assertArrayEquals(other, verdicts.rules());
            }
            stop.set(true);
            assertTrue(batches.get() > 0);
            first.shutdown();
            assertEquals(0, gpu.fallBacks() + second.fallBacks());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"LAUNCH", "AWAIT"})
    void aKernelThatStaysAndFailsIsStartedAgain(FaultInjector.Point point) {
        RuleSet rules = rules(27);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(2, 128);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            device.residency(2_000, 4_000);
            gpu.offloadMode(mode("persistent,mapped"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            driver.fail(point, 1, 719);
            for (int round = 0; round < 200; round++) {
                VerdictBatch verdicts = new VerdictBatch(100);
                gpu.classify(batch, verdicts);
                assertArrayEquals(wanted, verdicts.rules());
                clock.addAndGet(SECOND / 10);
                gpu.rest();
            }
            assertEquals(1, gpu.fallBacks());
            assertFalse(gpu.resting());
            assertTrue(gpu.batches() > 150, () -> gpu.batches() + " batches on the device");
        }
    }

    @Test
    void batchesOfSeveralInstancesShareALaunchAndGetTheirOwnVerdicts() {
        RuleSet rules = rules(29);
        Classifier plain = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(2, 1024)) {
            List<GpuClassifier> instances = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
                GpuClassifier gpu = new GpuClassifier(device, cpu);
                gpu.offloadMode(mode("gather=4"));
                instances.add(gpu);
            }
            List<BatchClassifier.Flight> flights = new ArrayList<>();
            List<HeaderBatch> batches = new ArrayList<>();
            List<VerdictBatch> verdicts = new ArrayList<>();
            for (int b = 0; b < 7; b++) {
                HeaderBatch batch = headers(rules, 10 + 30 * b, b);
                batches.add(batch);
                verdicts.add(new VerdictBatch(batch.size()));
                flights.add(instances.get(b % 4).submit(batch, verdicts.get(b)));
            }
            assertEquals(1, device.busy(), "three wait for a fourth, or for somebody who waits");
            for (int b = 6; b >= 0; b--) {
                flights.get(b).await();
                int[] wanted = expected(plain, batches.get(b));
                assertArrayEquals(wanted, verdicts.get(b).rules());
            }
            assertEquals(0, device.busy());
            assertEquals(7, instances.stream().mapToLong(GpuClassifier::batches).sum());
            instances.forEach(GpuClassifier::close);
        }
        assertEquals(2, fake.launches);
    }

    @Test
    void aSharedLaunchThatFailsIsDoneAgainForAll() {
        RuleSet rules = rules(31);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(2, 1024);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            gpu.offloadMode(mode("gather=4"));
            HeaderBatch batch = headers(rules, 100, 4);
            int[] wanted = expected(cpu, batch);
            driver.fail(FaultInjector.Point.AWAIT, 1, 719);
            List<BatchClassifier.Flight> flights = new ArrayList<>();
            List<VerdictBatch> verdicts = new ArrayList<>();
            for (int b = 0; b < 3; b++) {
                verdicts.add(new VerdictBatch(100));
                flights.add(gpu.submit(batch, verdicts.get(b)));
            }
            flights.forEach(BatchClassifier.Flight::await);
            verdicts.forEach(v -> assertArrayEquals(wanted, v.rules()));
            assertEquals(3, gpu.fallBacks());
            assertEquals(0, device.busy());
        }
    }

    @Test
    void threadsGatherWithoutMixingVerdicts() throws Exception {
        RuleSet rules = rules(33);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(4, 2048);
                GpuClassifier gpu = new GpuClassifier(device, cpu)) {
            gpu.offloadMode(mode("gather=4,streams=1"));
            ExecutorService threads = Executors.newFixedThreadPool(4);
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                HeaderBatch batch = headers(rules, 50 + 100 * t, t);
                int[] wanted = expected(cpu, batch);
                all.add(
                        threads.submit(
                                () -> {
                                    for (int b = 0; b < 300; b++) {
                                        VerdictBatch verdicts = new VerdictBatch(batch.size());
                                        gpu.classify(batch, verdicts);
                                        assertArrayEquals(wanted, verdicts.rules());
                                    }
                                }));
            }
            for (Future<?> one : all) {
                one.get();
            }
            threads.shutdown();
            assertEquals(0, gpu.fallBacks());
            assertEquals(0, device.busy());
        }
    }

    @Test
    void theOffloadModeIsMeasuredOnceForImagesOfOneSize() {
        GpuPool pool = new GpuPool(() -> driver);
        GpuPool.Use use = pool.use(GpuPool.Selection.parse("0"), 0);
        assertNotNull(use);
        OffloadPreference preference = OffloadPreference.parse("on-demand,copy");
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules(35));
        GpuClassifier first = use.classifier(cpu, rules(35), preference);
        int launches = fake.launches;
        assertTrue(launches > 0);
        GpuClassifier second = use.classifier(cpu, rules(35), preference);
        assertEquals(launches, fake.launches);
        for (GpuClassifier gpu : Arrays.asList(first, second)) {
            if (gpu != null) { // else the CPU was faster at every size: the fake device is slow
                assertEquals(LaunchMode.ON_DEMAND, gpu.offloadMode().launch());
                gpu.close();
            }
        }
        use.close();
        assertEquals(0, fake.open);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "fast",
                "persistent,copy",
                "streams=0x1",
                "streams=17",
                "gather=3",
                "gather=",
                "copy,,mapped"
            })
    void anOffloadModeThatCannotBeIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> OffloadPreference.parse(text));
    }

    private static void write(BatchClassifier.Staging staging, HeaderBatch batch) {
        for (int p = 0; p < batch.layout().size(); p++) {
            for (int i = 0; i < batch.size(); i++) {
                staging.words().put(p * staging.stride() + i, batch.word(p, i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "mapped", "persistent,mapped", "on-demand,copy"})
    void headersWrittenToPinnedMemoryAreAnswered(String mode) {
        RuleSet rules = rules(39);
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(2, 256);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            gpu.offloadMode(mode(mode));
            HeaderBatch spare = new HeaderBatch(cpu.layout(), 200);
            for (int size : new int[] {0, 1, 33, 100, 150, 200}) {
                HeaderBatch batch = headers(rules, Math.max(1, size), size);
                batch.size(size);
                BatchClassifier.Staging staging = gpu.stage(200);
                assertNotNull(staging);
                write(staging, batch);
                VerdictBatch verdicts = new VerdictBatch(200);
                staging.submit(size, spare, verdicts).await();
                int[] wanted = Arrays.copyOf(expected(cpu, batch), size);
                assertArrayEquals(wanted, Arrays.copyOf(verdicts.rules(), size));
            }
            assertEquals(5, gpu.batches(), "an empty one is none for the device");
            BatchClassifier.Staging first = gpu.stage(200);
            BatchClassifier.Staging second = gpu.stage(200);
            assertNotNull(first);
            assertNotNull(second);
            assertNull(gpu.stage(200), "no third one");
            first.drop();
            second.drop();
            assertNull(gpu.stage(500), "a slot is smaller");
            assertEquals(0, device.busy());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultInjector.Point.class,
            names = {"COPY", "LAUNCH", "AWAIT"})
    void pinnedHeadersOutliveAFailure(FaultInjector.Point point) {
        // Four words, so that words that move together cross others' old places.
        List<Rule> wide = new ArrayList<>(rules(41).rules());
        Match all =
                new Match.Builder()
                        .field(Field.IPV4_SRC, 0x0a000000, 0xff000000)
                        .field(Field.IP_PROTO, 6)
                        .build();
        wide.add(new Rule(1000, 99, all, "a", 1000));
        RuleSet rules = RuleSet.of("wide", 1, RuleSet.DROP, wide);
        assertEquals(4, rules.layout().size());
        Classifier cpu = Compiler.of(Algorithm.of("tuple")).compile(rules);
        try (GpuDevice device = device(2, 256);
                GpuClassifier gpu = new GpuClassifier(device, cpu, clock::get)) {
            HeaderBatch batch = headers(rules, 60, 4);
            int[] wanted = expected(cpu, batch);
            HeaderBatch spare = new HeaderBatch(cpu.layout(), 200);
            driver.fail(point, 1, 719);
            BatchClassifier.Staging failing = gpu.stage(200);
            BatchClassifier.Staging late = gpu.stage(200);
            assertNotNull(failing);
            assertNotNull(late);
            for (BatchClassifier.Staging staging : List.of(failing, late)) {
                write(staging, batch);
                VerdictBatch verdicts = new VerdictBatch(200);
                staging.submit(60, spare, verdicts).await();
                assertArrayEquals(wanted, Arrays.copyOf(verdicts.rules(), 60));
            }
            assertEquals(1, gpu.fallBacks());
            assertEquals(1, gpu.cpuBatches(), "the second found the device at rest");
            assertNull(gpu.stage(200), "it rests");
            clock.addAndGet(2 * SECOND);
            VerdictBatch verdicts = new VerdictBatch(60);
            gpu.classify(batch, verdicts);
            assertArrayEquals(wanted, verdicts.rules());
            assertEquals(1, gpu.batches());
            BatchClassifier.Staging again = gpu.stage(200);
            assertNotNull(again);
            again.drop();
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void aPapersKernelDoesNotStay() {
        Classifier cpu = Compiler.of(Algorithm.of("linear")).compile(rules(37));
        try (GpuDevice device = device(1, 64);
                GpuClassifier gpu = new GpuClassifier(device, cpu, "paper_linear")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> gpu.offloadMode(mode("persistent,mapped")));
        }
    }

    @Test
    void instancesAreSpreadOverTheDevicesAndShareThem() {
        GpuPool pool = new GpuPool(() -> driver);
        GpuPool.Selection all = GpuPool.Selection.parse("auto");
        List<GpuPool.Use> uses = new ArrayList<>();
        for (int instance = 0; instance < 4; instance++) {
            GpuPool.Use use = pool.use(all, instance);
            assertNotNull(use);
            assertEquals(instance % 2, use.device().number());
            uses.add(use);
        }
        assertEquals(2, fake.open);
        uses.forEach(GpuPool.Use::close);
        uses.forEach(GpuPool.Use::close);
        assertEquals(0, fake.open);
        assertEquals(0, fake.blocks());
        assertNull(pool.use(GpuPool.Selection.parse("off"), 0));
        GpuException missing =
                assertThrows(GpuException.class, () -> pool.use(GpuPool.Selection.parse("7"), 0));
        assertTrue(String.valueOf(missing.getMessage()).contains("device 7"));
        assertThrows(IllegalArgumentException.class, () -> GpuPool.Selection.parse("first"));
    }

    @Test
    void withoutADriverAutoTakesTheCpuAndAnAskedForDeviceSaysWhy() {
        GpuPool pool =
                new GpuPool(
                        () -> {
                            throw new GpuException(0, "no CUDA driver");
                        });
        assertNull(pool.use(GpuPool.Selection.parse("auto"), 0));
        assertThrows(GpuException.class, () -> pool.use(GpuPool.Selection.parse("0"), 0));
    }
}
