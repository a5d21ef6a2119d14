package dev.sluice.lab.gpu.check;

import dev.sluice.engine.gpu.GpuClassifier;
import dev.sluice.engine.gpu.GpuDevice;
import dev.sluice.engine.gpu.launch.KernelCatalog;
import dev.sluice.engine.gpu.launch.LaunchMode;
import dev.sluice.engine.gpu.launch.OffloadMode;
import dev.sluice.engine.gpu.launch.Transfer;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.PendingVerdicts;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** Look-ups by one kernel in every offload mode and batch size, several batches under way. */
final class KernelRuns {
    /** Content of verdicts before a kernel writes them: no rule's position. */
    private static final int UNWRITTEN = 0x5eed;

    /** Batches of one size, at most. */
    private static final int MOST_BATCHES = 20;

    private KernelRuns() {}

    /**
     * Looks headers up in every mode and size.
     *
     * @param headers as many as are asked; of small sizes only the first batches
     * @param sizes of batches
     * @param found takes the positions of each run, one for each header from the first on
     * @throws IllegalStateException if the CPU answered in the device's place
     */
    static void over(
            GpuDevice device,
            Classifier classifier,
            String kernel,
            List<int[]> headers,
            int[] sizes,
            Consumer<int[]> found) {
        try (GpuClassifier gpu = new GpuClassifier(device, classifier, kernel)) {
            for (int size : sizes) {
                List<HeaderBatch> batches = batches(classifier, headers, size);
                for (OffloadMode mode : modes(kernel)) {
                    gpu.offloadMode(mode);
                    found.accept(positions(gpu, batches));
                }
            }
            requireNoCpu(gpu);
        }
    }

    /** Fails if the CPU answered in the device's place. */
    static void requireNoCpu(GpuClassifier gpu) {
        if (gpu.figures().fallBacks.sum() > 0 || gpu.figures().cpuBatches.sum() > 0) {
            throw new IllegalStateException("the CPU answered in the device's place");
        }
    }

    /** Every launch mode with every transfer that it takes, and batches gathered. */
    private static List<OffloadMode> modes(String kernel) {
        List<OffloadMode> modes = new ArrayList<>();
        for (Transfer transfer : Transfer.values()) {
            modes.add(new OffloadMode(LaunchMode.ON_DEMAND, transfer, 1, 1));
            modes.add(new OffloadMode(LaunchMode.ASYNCHRONOUS, transfer, Check.IN_FLIGHT, 1));
        }
        modes.add(new OffloadMode(LaunchMode.ASYNCHRONOUS, Transfer.COPY, 1, 4));
        if (KernelCatalog.resident(kernel) != null) {
            modes.add(new OffloadMode(LaunchMode.PERSISTENT, Transfer.MAPPED, 1, 1));
        }
        return modes;
    }

    private static List<HeaderBatch> batches(Classifier classifier, List<int[]> headers, int size) {
        List<HeaderBatch> batches = new ArrayList<>();
        int most = (int) Math.min(headers.size(), (long) MOST_BATCHES * size);
        for (int from = 0; from < most; from += size) {
            HeaderBatch batch = new HeaderBatch(classifier.layout(), size);
            headers.subList(from, Math.min(most, from + size)).forEach(batch::add);
            batches.add(batch);
        }
        return batches;
    }

    private static int[] positions(GpuClassifier gpu, List<HeaderBatch> batches) {
        Deque<PendingVerdicts> flights = new ArrayDeque<>();
        List<VerdictBatch> verdicts = new ArrayList<>();
        for (HeaderBatch batch : batches) {
            VerdictBatch room = new VerdictBatch(batch.size());
            Arrays.fill(room.rules(), UNWRITTEN);
            verdicts.add(room);
            flights.add(gpu.submit(batch, room));
            if (flights.size() == Check.IN_FLIGHT) {
                flights.remove().await();
            }
        }
        flights.forEach(PendingVerdicts::await);
        return verdicts.stream().flatMapToInt(room -> Arrays.stream(room.rules())).toArray();
    }
}
