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
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Measuring loop: rounds that warm up the JIT compiler and the caches, then rounds that count.
 *
 * @param warmUps rounds that do not count
 * @param rounds rounds that count
 */
public record Meter(int warmUps, int rounds) {
    /** Runs all rounds of one contender and returns the figures of those that count. */
    public Samples measure(DoubleSupplier round) {
        return inTurns(List.of(round)).get(0);
    }

    /**
     * Measures several contenders in turns, one round of each after the other, so that what else
     * the machine does meets all alike.
     *
     * @return the figures of each contender; the k-th figures of all are of one turn
     */
    public List<Samples> inTurns(List<? extends DoubleSupplier> contenders) {
        List<double[]> turns =
                collect(
                        () ->
                                contenders.stream()
                                        .mapToDouble(DoubleSupplier::getAsDouble)
                                        .toArray());
        List<Samples> all = new ArrayList<>();
        for (int c = 0; c < contenders.size(); c++) {
            int contender = c;
            all.add(Samples.of(turns, turn -> turn[contender]));
        }
        return all;
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
     * Repeats a pass until a time is over, at least once.
     *
     * @param nanos the time
     * @param clock {@link System#nanoTime}, or a thread's CPU time
     * @param pass does some work and returns its units
     * @return units a second
     */
    public static double perSecond(long nanos, LongSupplier clock, LongSupplier pass) {
        long start = clock.getAsLong();
        long units = 0;
        long elapsed;
        do {
            units += pass.getAsLong();
            elapsed = clock.getAsLong() - start;
        } while (elapsed < nanos);
        return units * 1e9 / elapsed;
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
