package dev.sluice.job.lab.grid;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sluice.job.SluiceException;
import dev.sluice.job.replay.Progress;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Measures cells one after the other, or several at once; tells each as soon as it is done. */
public final class GridRun {
    /**
     * What was found in a cell.
     *
     * @param record says it, for programs; made by {@link GridFile#of}
     * @param line says it, for people
     * @param wrong answers
     */
    public record Found(ObjectNode record, String line, long wrong) {}

    /** Measures a cell; called by several threads where several are measured at once. */
    @FunctionalInterface
    public interface Bench {
        Found measure(Cell cell) throws Exception;
    }

    private final Bench bench;
    private final @Nullable GridFile file;
    private final PrintWriter out;
    private final boolean json;

    /**
     * A run.
     *
     * @param file takes the cells; null: none does
     * @param out takes a line a cell
     * @param json whether that is the record
     */
    public GridRun(Bench bench, @Nullable Path file, PrintWriter out, boolean json) {
        this.bench = bench;
        this.file = file == null ? null : new GridFile(file);
        this.out = out;
        this.json = json;
    }

    /**
     * Measures cells.
     *
     * @param atOnce how many
     * @return wrong answers in all
     * @throws SluiceException if a cell cannot be measured; no other is begun then
     */
    public long over(List<Cell> cells, int atOnce, PrintWriter err) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(atOnce);
        try (Progress progress = new Progress(err, "grid", "cells")) {
            List<Future<Long>> wrong = new ArrayList<>();
            for (Cell cell : cells) {
                wrong.add(pool.submit(() -> tell(bench.measure(cell))));
            }
            long sum = 0;
            for (int i = 0; i < wrong.size(); i++) {
                sum += wrong.get(i).get();
                progress.at(i + 1L, wrong.size(), true);
            }
            return sum;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new SluiceException("a cell was not measured: " + e.getCause(), e);
        } finally {
            pool.shutdownNow();
        }
    }

    private synchronized long tell(Found found) {
        if (file != null) {
            file.put(found.record());
        }
        out.println(json ? found.record() : found.line());
        out.flush();
        return found.wrong();
    }
}
