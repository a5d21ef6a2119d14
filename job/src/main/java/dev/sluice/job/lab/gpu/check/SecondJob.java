package dev.sluice.job.lab.gpu.check;

import dev.sluice.engine.Engine;
import dev.sluice.engine.EngineOptions;
import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.driver.JCudaGpuDriver;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.job.lab.generate.RuleShape;
import dev.sluice.job.lab.sets.TestSet;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Jobs that share a TaskManager share its process and not their classes: each has a class loader,
 * and a native library loads once a class loader and path. This is such a job, small.
 */
public final class SecondJob {
    private static final int ROUNDS = 50;
    private static final int HEADERS = 20_000;

    private SecondJob() {}

    /** Opens a device twice, one after the other, classifies there; returns the wrong answers. */
    public static long wrong(int device) {
        TestSet set = TestSet.generate(RuleShape.ACL, 500, HEADERS, 3);
        Classifier classifier =
                Engine.compile(set.rules(), EngineOptions.of(Algorithm.of("merged-tuple")));
        HeaderBatch batch = set.trace().batches(classifier.layout(), HEADERS).get(0);
        int[] wanted = set.expected();
        long wrong = 0;
        for (int start = 0; start < 2; start++) {
            try (GpuDevice on = new GpuDevice(JCudaGpuDriver.get(), device, 2, 65_536, 19);
                    GpuClassifier gpu = new GpuClassifier(on, classifier)) {
                VerdictBatch verdicts = new VerdictBatch(batch.size());
                for (int round = 0; round < ROUNDS; round++) {
                    gpu.classify(batch, verdicts);
                    for (int i = 0; i < batch.size(); i++) {
                        wrong += verdicts.rule(i) == wanted[i] ? 0 : 1;
                    }
                }
                wrong += gpu.fallBacks();
            }
        }
        return wrong;
    }

    /** Verdicts that {@link #wrong} compares. */
    static long verdicts() {
        return 2L * ROUNDS * HEADERS;
    }

    /** Runs such jobs at once, each with classes of its own; returns the wrong answers. */
    static long atOnce(int jobs, int device) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(jobs);
        try {
            List<Future<Long>> running = new ArrayList<>();
            for (int j = 0; j < jobs; j++) {
                running.add(threads.submit(() -> isolated(device)));
            }
            long wrong = 0;
            for (Future<Long> job : running) {
                wrong += job.get();
            }
            return wrong;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a job with classes of its own failed", e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private static long isolated(int device) throws IOException, ReflectiveOperationException {
        try (URLClassLoader own =
                new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            Class<?> job = own.loadClass(SecondJob.class.getName());
            if (job == SecondJob.class) {
                throw new IllegalStateException("the class loader shares its parent's classes");
            }
            return (Long) job.getMethod("wrong", int.class).invoke(null, device);
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
