package dev.sluice.lab.kit;

import dev.sluice.policy.io.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.DoubleSupplier;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;

/**
 * Measuring loop: rounds that warm up the JIT compiler and the caches, then rounds that count.
 *
 * @param warmUps rounds that do not count
 * @param rounds rounds that count
 */
public record Meter(int warmUps, int rounds) {
    /** Runs all rounds and returns the figures of those that count. */
    public Samples measure(DoubleSupplier round) {
        return Samples.of(collect(round::getAsDouble), Double::doubleValue);
    }

    /** Runs all rounds and returns the results of those that count, several figures a round. */
    public <T> List<T> collect(Supplier<T> round) {
        List<T> results = new ArrayList<>();
        for (int r = -warmUps; r < rounds; r++) {
            T result = round.get();
            if (r >= 0) {
                results.add(result);
            }
        }
        return results;
    }

    /**
     * Runs work in several threads that start together. The threads are the caller's, for all
     * rounds: a look-up keeps a flow cache in each thread, which a new thread would begin without.
     *
     * @param pool of so many threads
     * @param work of the thread with a number, from 0 on; returns its figure
     * @return the sum of all threads' figures
     */
    public static double together(ExecutorService pool, int threads, IntToDoubleFunction work) {
        CyclicBarrier start = new CyclicBarrier(threads);
        List<Callable<Double>> tasks = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int thread = t;
            tasks.add(
                    () -> {
                        start.await();
                        return work.applyAsDouble(thread);
                    });
        }
        try {
            double sum = 0;
            for (Future<Double> task : pool.invokeAll(tasks)) {
                sum += task.get();
            }
            return sum;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SluiceException("the measurement was interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a thread of the measurement failed", e.getCause());
        }
    }
}
