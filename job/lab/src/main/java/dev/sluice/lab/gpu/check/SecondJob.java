package dev.sluice.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.OffloadPreference;
import dev.sluice.engine.gpu.driver.GpuDriver;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.lab.generate.RuleShape;
import dev.sluice.lab.sets.TestSet;
import dev.sluice.schemas.header.HeaderBatch;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Jobs that share a TaskManager share its process and not their classes: each has a class loader, a
 * driver and a context on the device, and knows nothing of the others. This is such a job, small:
 * it keeps its device busy until all the others have done their part, too.
 */
public final class SecondJob {
    private static final int ROUNDS = 50;
    private static final int HEADERS = 20_000;

    /** A kernel that stays leaves the device some times meanwhile: it may stay for 50 ms. */
    private static final long BUSY_NANOS = 400_000_000L;

    /** In which the others must have done their part. */
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private static final CountDownLatch NOBODY = new CountDownLatch(0);

    private SecondJob() {}

    /**
     * What a job did, in words that class loaders share.
     *
     * @param verdicts compared
     * @param wrong of these, and batches that failed on the device
     * @param longestMicros of a batch
     * @param residencies how often a kernel that stays came to the device
     */
    record Done(long verdicts, long wrong, long longestMicros, long residencies) {
        static Done of(long[] words) {
            return new Done(words[0], words[1], words[2], words[3]);
        }

        long[] words() {
            return new long[] {verdicts, wrong, longestMicros, residencies};
        }
    }

    /**
     * Runs the job in the classes that it was loaded with.
     *
     * @param device number of the device, an Integer
     * @param mode how batches go there, as {@code --hand-over} writes it
     * @param others is counted down when the job has done its part; it goes on until all have
     * @return a {@link Done}
     */
    public static long[] run(Object device, String mode, CountDownLatch others) {
        return run(JCudaGpuDriver.get(), (Integer) device, mode, others);
    }

    /** As above, on a device of any driver. */
    static long[] run(GpuDriver driver, int device, String mode, CountDownLatch others) {
        OffloadMode by = OffloadPreference.parse(mode).orElse(OffloadMode.PLAIN);
        TestSet set = TestSet.generate(RuleShape.ACL, 500, HEADERS, 3);
        Classifier classifier =
                Engine.compile(set.rules(), EngineOptions.of(Algorithm.of("merged-tuple")));
        HeaderBatch batch = set.trace().batches(classifier.layout(), HEADERS).get(0);
        Work work = new Work(batch, set.expected());
        try {
            work.on(driver, device, by, classifier, 0, NOBODY); // a device may be opened twice
            return work.on(driver, device, by, classifier, BUSY_NANOS, others).words();
        } catch (RuntimeException e) {
            while (others.getCount() > 0) {
                others.countDown(); // nobody goes on for a job that failed
            }
            throw e;
        }
    }

    /** Batches that a job has classified, and what became of them. */
    private static final class Work {
        private final HeaderBatch batch;
        private final int[] wanted;
        private final VerdictBatch verdicts;
        private long compared;
        private long wrong;
        private long longestNanos;

        Work(HeaderBatch batch, int[] wanted) {
            this.batch = batch;
            this.wanted = wanted;
            this.verdicts = new VerdictBatch(batch.size());
        }

        /** Classifies for so long at least, counts down, and goes on until others have, too. */
        Done on(
                GpuDriver driver,
                int device,
                OffloadMode by,
                Classifier classifier,
                long nanos,
                CountDownLatch others) {
            try (GpuDevice on = new GpuDevice(driver, device, 2, 65_536, 19);
                    GpuClassifier gpu = new GpuClassifier(on, classifier)) {
                gpu.offloadMode(by);
                long began = System.nanoTime();
                int round = 0;
                for (; round < ROUNDS || System.nanoTime() - began < nanos; round++) {
                    classify(gpu);
                }
                others.countDown();
                while (others.getCount() > 0) {
                    classify(gpu);
                    if (System.nanoTime() - began > PATIENCE_NANOS) {
                        throw new IllegalStateException(
                                "a job had not done its part after 60 s beside one that goes to the device by "
                                        + by.describe());
                    }
                }
                wrong += gpu.fallBacks() + gpu.cpuBatches();
                long residencies = on.residencies();
                if (by.launch() == LaunchMode.PERSISTENT && nanos > 0 && residencies < 2) {
                    throw new IllegalStateException(
                            "a kernel that stays did not leave the device though its time was over");
                }
                return new Done(compared, wrong, longestNanos / 1000, residencies);
            }
        }

        private void classify(GpuClassifier gpu) {
            long start = System.nanoTime();
            gpu.classify(batch, verdicts);
            longestNanos = Math.max(longestNanos, System.nanoTime() - start);
            for (int i = 0; i < batch.size(); i++) {
                wrong += verdicts.rule(i) == wanted[i] ? 0 : 1;
            }
            compared += batch.size();
        }
    }

    /**
     * Runs jobs at once, each with classes of its own.
     *
     * @param job has a method {@code run} as this class has
     * @param device what that takes
     * @param modes one of each job
     */
    static List<Done> atOnce(Class<?> job, Object device, List<String> modes)
            throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(modes.size());
        CountDownLatch others = new CountDownLatch(modes.size());
        try {
            List<Future<long[]>> running = new ArrayList<>();
            for (String mode : modes) {
                running.add(threads.submit(() -> isolated(job, device, mode, others)));
            }
            List<Done> done = new ArrayList<>();
            for (Future<long[]> each : running) {
                done.add(Done.of(each.get()));
            }
            return done;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a job with classes of its own failed", e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static long[] isolated(Class<?> job, Object device, String mode, CountDownLatch others)
            throws IOException, ReflectiveOperationException {
        try (URLClassLoader own =
                new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            Class<?> isolated = own.loadClass(job.getName());
            if (isolated == job) {
                throw new IllegalStateException("the class loader shares its parent's classes");
            }
            return (long[])
                    isolated.getMethod("run", Object.class, String.class, CountDownLatch.class)
                            .invoke(null, device, mode, others);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private static URL[] classPath() throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }
}
