package dev.sluice.engine.gpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.driver.FaultInjector;
import dev.sluice.engine.gpu.driver.GpuException;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits for an image on its way to a device, and who does not. */
@Timeout(60)
class UploadTest extends GpuFixture {
    private static final int HEADERS = 100;

    private final CountDownLatch entered = new CountDownLatch(1);
    private final CountDownLatch allowed = new CountDownLatch(1);
    private final AtomicInteger uploads = new AtomicInteger();

    private static Classifier cpu(int seed) {
        return Engine.compile(rules(seed), EngineOptions.of(Algorithm.of("tuple")));
    }

    private static HeaderBatch headers(int seed) {
        return headers(rules(seed), HEADERS, 5);
    }

    private static void assertAnswers(GpuClassifier gpu, int seed) {
        HeaderBatch headers = headers(seed);
        VerdictBatch verdicts = new VerdictBatch(HEADERS);
        gpu.classify(headers, verdicts);
        assertArrayEquals(expected(cpu(seed), headers), verdicts.rules());
    }

    private GpuDevice device() {
        return device(2, 128);
    }

    /** A task on a thread of its own, whose state can be asked. */
    private static final class Task<T> {
        final FutureTask<T> result;
        final Thread thread;

        Task(Callable<T> work) {
            result = new FutureTask<>(work);
            thread = new Thread(result);
            thread.setDaemon(true);
        }

        Task<T> start() {
            thread.start();
            return this;
        }

        T get() throws Exception {
            return result.get();
        }

        void awaitBlocked() {
            while (thread.getState() != Thread.State.WAITING) {
                assertFalse(result.isDone(), "it did not wait");
                Thread.onSpinWait();
            }
        }
    }

    /** The first upload after this one waits in the driver until it is allowed. */
    private void holdTheFirstUpload() {
        fake.beforeUpload =
                () -> {
                    if (uploads.getAndIncrement() == 0) {
                        entered.countDown();
                        try {
                            allowed.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                };
    }

    private Task<GpuClassifier> classifier(GpuDevice device, int seed) {
        Classifier cpu = cpu(seed);
        return new Task<>(() -> new GpuClassifier(device, cpu, clock::get));
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "mapped,streams=1", "gather=2", "persistent,mapped"})
    void aBatchLandsWhileAnotherImageIsUploaded(String mode) throws Exception {
        try (GpuDevice device = device();
                GpuClassifier gpu = new GpuClassifier(device, cpu(3), clock::get)) {
            device.residents().residency(10_000_000, 10_000_000);
            gpu.offloadMode(mode(mode));
            assertAnswers(gpu, 3);
            holdTheFirstUpload();
            Task<GpuClassifier> uploading = classifier(device, 5).start();
            entered.await();
            for (int b = 0; b < 10; b++) {
                assertAnswers(gpu, 3);
            }
            assertEquals(11, gpu.figures().batches.sum());
            assertEquals(0, gpu.figures().fallBacks.sum());
            assertFalse(uploading.result.isDone());
            allowed.countDown();
            try (GpuClassifier other = uploading.get()) {
                assertAnswers(other, 5);
                assertEquals(1, other.figures().batches.sum());
            }
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void anotherImageIsUploadedAndReleasedMeanwhile() throws Exception {
        try (GpuDevice device = device()) {
            holdTheFirstUpload();
            Task<GpuClassifier> uploading = classifier(device, 5).start();
            entered.await();
            try (GpuClassifier gpu = new GpuClassifier(device, cpu(3), clock::get)) {
                assertAnswers(gpu, 3);
                assertEquals(1, gpu.figures().batches.sum());
            }
            allowed.countDown();
            uploading.get().close();
            assertEquals(0, device.memory().images().count());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void equalImagesOfSeveralThreadsAreUploadedOnce() throws Exception {
        try (GpuDevice device = device()) {
            int empty = fake.blocks();
            holdTheFirstUpload();
            List<Task<GpuClassifier>> tasks = new ArrayList<>();
            tasks.add(classifier(device, 7).start());
            entered.await();
            for (int t = 0; t < 3; t++) {
                tasks.add(classifier(device, 7).start());
            }
            tasks.forEach(Task::awaitBlocked);
            assertEquals(1, device.memory().images().count());
            allowed.countDown();
            for (Task<GpuClassifier> task : tasks) {
                assertAnswers(task.get(), 7);
            }
            assertEquals(1, uploads.get());
            for (int t = 0; t < 4; t++) {
                assertEquals(empty + 1, fake.blocks(), "classifier " + t);
                tasks.get(t).get().close();
            }
            assertEquals(empty, fake.blocks());
            assertEquals(0, device.memory().images().count());
        }
    }

    @Test
    void anUploadThatFailsLeavesNothingAndWhoWaitedTries() throws Exception {
        try (GpuDevice device = device()) {
            int empty = fake.blocks();
            holdTheFirstUpload();
            Runnable held = fake.beforeUpload;
            fake.beforeUpload =
                    () -> {
                        boolean first = uploads.get() == 0;
                        held.run();
                        if (first) {
                            throw new GpuException(700, "injected");
                        }
                    };
            Task<GpuClassifier> failing = classifier(device, 7).start();
            entered.await();
            Task<GpuClassifier> waiting = classifier(device, 7).start();
            waiting.awaitBlocked();
            allowed.countDown();
            ExecutionException failure = assertThrows(ExecutionException.class, failing::get);
            assertInstanceOf(GpuException.class, failure.getCause());
            try (GpuClassifier gpu = waiting.get()) {
                assertEquals(2, uploads.get());
                assertEquals(1, device.memory().images().count());
                assertEquals(empty + 1, fake.blocks());
                assertAnswers(gpu, 7);
                assertEquals(1, gpu.figures().batches.sum());
            }
            assertEquals(0, device.memory().images().count());
            assertEquals(empty, fake.blocks());
        }
    }

    @Test
    void anImageWithoutRoomLeavesNothing() {
        try (GpuDevice device = device()) {
            int empty = fake.blocks();
            driver.fail(FaultInjector.Point.ALLOCATE, 1, 2);
            assertThrows(GpuException.class, () -> new GpuClassifier(device, cpu(7)));
            assertEquals(0, device.memory().images().count());
            assertEquals(0, device.memory().imageBytes());
            assertEquals(empty, fake.blocks());
        }
    }

    @Test
    void aDeviceIsOpenedAnewBehindAnUploadThatIsUnderWay() throws Exception {
        try (GpuDevice device = device();
                GpuClassifier gpu = new GpuClassifier(device, cpu(3), clock::get)) {
            holdTheFirstUpload();
            Task<GpuClassifier> uploading = classifier(device, 5).start();
            entered.await();
            driver.fail(FaultInjector.Point.LAUNCH, 1, 719);
            assertAnswers(gpu, 3);
            assertEquals(1, gpu.figures().fallBacks.sum());
            clock.addAndGet(2 * SECOND);
            Task<Boolean> reviving =
                    new Task<>(
                                    () -> {
                                        assertAnswers(gpu, 3);
                                        return true;
                                    })
                            .start();
            reviving.awaitBlocked();
            assertEquals(1, uploads.get(), "the context is still there");
            allowed.countDown();
            assertTrue(reviving.get());
            assertEquals(1, gpu.figures().batches.sum());
            assertEquals(1, gpu.figures().fallBacks.sum());
            try (GpuClassifier other = uploading.get()) {
                assertAnswers(other, 5);
                assertEquals(1, other.figures().batches.sum(), "its image was copied again");
            }
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }

    @Test
    void whoFindsTheDeviceBeingOpenedAnewWaitsOrLetsTheCpuHelp() throws Exception {
        try (GpuDevice device = device();
                GpuClassifier gpu = new GpuClassifier(device, cpu(3), clock::get);
                GpuClassifier unaware = new GpuClassifier(device, cpu(3), clock::get);
                GpuClassifier helped = new GpuClassifier(device, cpu(3), clock::get)) {
            helped.cpuHelps(true);
            driver.fail(FaultInjector.Point.LAUNCH, 1, 719);
            assertAnswers(gpu, 3);
            clock.addAndGet(2 * SECOND);
            holdTheFirstUpload();
            Task<Boolean> reviving =
                    new Task<>(
                                    () -> {
                                        assertAnswers(gpu, 3);
                                        return true;
                                    })
                            .start();
            entered.await();
            assertAnswers(helped, 3);
            assertEquals(1, helped.figures().cpuBatches.sum());
            Task<Boolean> waiting =
                    new Task<>(
                                    () -> {
                                        assertAnswers(unaware, 3);
                                        return true;
                                    })
                            .start();
            waiting.awaitBlocked();
            allowed.countDown();
            assertTrue(reviving.get());
            assertTrue(waiting.get());
            assertEquals(1, unaware.figures().batches.sum());
            assertEquals(0, unaware.figures().fallBacks.sum());
        }
        assertEquals(0, fake.blocks(), "memory is left");
    }
}
